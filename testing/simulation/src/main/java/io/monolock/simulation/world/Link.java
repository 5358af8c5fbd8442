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
   * @param isInstant whether a call is answered while it is made
   */
  public record Speed(long least, long most, int spikes, boolean isInstant) {}

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
    return speed.isInstant && !isMuted();
  }

  private boolean isMuted() {
    return world.now() < mutedUntil;
  }

  boolean refuses() {
    return world.now() < refusedUntil || server.isDown();
  }

  /** When a message that is sent now arrives. */
  long arrival(boolean isRequest) {
    long delay = (long) ((speed.least + random.nextLong(speed.most - speed.least + 1)) * slowness);
    if (random.nextInt(1_000) < speed.spikes) {
      delay *= 1 + random.nextInt(10);
    }
    boolean muted = isMuted() && (isRequest ? mutesRequests : mutesAnswers);
    return Math.max(world.now(), muted ? mutedUntil : 0) + delay;
  }

  /** The longest time that a message usually takes. */
  public long usual() {
    return (long) (speed.most * slowness);
  }

  /** Ends its connections. */
  public void cut() {
    story("cut");
    work.cut();
    wait.cut();
    witness.disturbed(Math.max(world.now(), refusedUntil));
  }

  /** Ends one connection. */
  public void cut(boolean onlyWork) {
    story(onlyWork ? "work connection cut" : "wait connection cut");
    (onlyWork ? work : wait).cut();
    witness.disturbed(world.now());
  }

  /** Messages of one direction, or both, only arrive when this time is over. */
  public void mute(long duration, boolean requests, boolean answers) {
    story(
        "mute for "
            + duration / 1_000_000
            + " ms"
            + (requests ? " there" : "")
            + (answers ? " back" : ""));
    mutedUntil = world.now() + duration;
    mutesRequests = requests;
    mutesAnswers = answers;
    witness.disturbed(mutedUntil);
  }

  /** Ends its connections, and lets none be opened for a while. */
  public void refuse(long duration) {
    refusedUntil = world.now() + duration;
    cut();
  }

  /** Messages take longer for a while. */
  public void slowDown(double factor, long duration) {
    story("slower by " + factor);
    slowness = factor;
    witness.disturbed(world.now() + duration);
    var unused = world.after(duration, () -> slowness = 1);
  }

  private void story(String text) {
    world.story().add(world.now(), process + "-" + server, () -> text);
  }
}
