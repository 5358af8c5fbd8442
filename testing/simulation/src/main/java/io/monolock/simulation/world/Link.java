// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation.world;

import java.util.SplittableRandom;

/** The way between one process and one server, and its two connections. */
public final class Link {

  /**
   * How long a message takes one way.
   *
   * @param least the least, in nanoseconds
   * @param most the most it usually takes
   * @param spikes how many of a thousand take up to ten times as long
   * @param waitFactor how many times longer it takes over the wait connection
   * @param isInstant whether a call is answered while it is made
   */
  public record Speed(long least, long most, int spikes, int waitFactor, boolean isInstant) {}

  final World world;
  final SimulatedProcess process;
  final Server server;
  final Witness witness;
  final Connection work;
  final Connection wait;
  final SplittableRandom random;
  private final Speed speed;
  private long mutedUntil;
  private boolean mutesRequests;
  private boolean mutesAnswers;
  private long refusedUntil;
  private double slowness = 1;

  /** A way that works. */
  public Link(
      World world,
      SimulatedProcess process,
      Server server,
      Witness witness,
      Speed speed,
      SplittableRandom random) {
    this.world = world;
    this.process = process;
    this.server = server;
    this.witness = witness;
    this.speed = speed;
    this.random = random;
    this.work = new Connection(this, "work");
    this.wait = new Connection(this, "wait");
  }

  boolean isInstant() {
    return speed.isInstant && world.now() >= mutedUntil;
  }

  boolean refuses() {
    return world.now() < refusedUntil || server.isDown();
  }

  /** When a message that is sent now arrives. */
  long arrival(Connection over, boolean isRequest) {
    long delay = (long) ((speed.least + random.nextLong(speed.most - speed.least + 1)) * slowness);
    if (random.nextInt(1_000) < speed.spikes) {
      delay *= 1 + random.nextInt(10);
    }
    boolean isMuted = world.now() < mutedUntil && (isRequest ? mutesRequests : mutesAnswers);
    long start = isMuted ? mutedUntil : world.now();
    return start == World.NEVER ? start : start + delay * (over == wait ? speed.waitFactor : 1);
  }

  /** The longest time that a message usually takes. */
  public long usual() {
    return (long) (speed.most * slowness * speed.waitFactor);
  }

  /** Whether nothing is on its way. */
  public boolean isIdle() {
    return work.isIdle() && wait.isIdle();
  }

  /** Ends its connections. */
  public void cut() {
    story("cut");
    work.cut();
    wait.cut();
    disturbed(Math.max(world.now(), refusedUntil));
  }

  /** Ends one connection. */
  public void cut(boolean onlyWork) {
    story(onlyWork ? "work connection cut" : "wait connection cut");
    (onlyWork ? work : wait).cut();
    disturbed(world.now());
  }

  /** Messages of one direction, or both, only arrive when this time is over. */
  public void mute(long until, boolean requests, boolean answers) {
    story("mute until " + until + (requests ? " there" : "") + (answers ? " back" : ""));
    mutedUntil = until;
    mutesRequests = requests;
    mutesAnswers = answers;
    disturbed(until);
  }

  /** Ends its connections, and lets none be opened until then. */
  public void refuse(long until) {
    refusedUntil = until;
    cut();
  }

  /** Messages take longer for a while. */
  public void slowDown(double factor, long duration) {
    story("slower by " + factor);
    slowness = factor;
    disturbed(world.now() + duration + 20 * usual());
    var unused = world.after(duration, () -> slowness = 1);
  }

  private void disturbed(long until) {
    witness.disturbed(server, process, until);
  }

  private void story(String text) {
    world.tell(this, () -> text);
  }

  @Override
  public String toString() {
    return process + "-" + server;
  }
}
