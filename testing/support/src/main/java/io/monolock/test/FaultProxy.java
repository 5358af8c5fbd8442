// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A bad network in front of a server: clients that connect to the proxy reach the server, until a
 * test lets it cut, refuse, lose, delay or hold what goes through it.
 *
 * <pre>{@code
 * try (RedisServer server = RedisServer.start();
 *     FaultProxy proxy = FaultProxy.before(server)) {
 *   RedisClient client = RedisClient.create(proxy.uri());
 *   proxy.dropReplies(true); // Redis executes commands, and the client gets no reply
 * }
 * }</pre>
 *
 * <h2>What is lost is lost</h2>
 *
 * <p>Bytes that were dropped or went into the black hole do not come back, and a client that
 * matches the next reply with its oldest command would from then on match each with a wrong one.
 * When such a fault ends, the connections that lost something are therefore cut; the others stay. A
 * delay or a hold loses nothing and never changes the order of bytes.
 *
 * <h2>When a fault begins</h2>
 *
 * <p>A method returns when its fault is in effect. The fault applies to what reaches the proxy from
 * then on: bytes that already wait for the end of their delay still arrive. A reply may be on its
 * way from the server when its client is cut or the fault begins, so a test that depends on whether
 * a command was executed reads that from the server itself. Faults add up: replies can be delayed
 * while requests are dropped.
 *
 * <p>Several proxies may stand before one server. Methods block for a moment and belong in the
 * threads of tests; several threads may share a proxy. The proxy parses only where replies begin,
 * so it also works before servers of another kind, and between a primary and its replica; only
 * holding replies needs RESP without TLS.
 */
public final class FaultProxy implements AutoCloseable {

  private static final int PORT_ATTEMPTS = 10;
  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  private volatile InetSocketAddress target;
  private final EventLoop loop = ProxyLoops.next();
  private final Faults faults = new Faults();
  private final Set<ProxyConnection> connections = new LinkedHashSet<>();
  private final AtomicLong accepted = new AtomicLong();
  private final int port;
  private @Nullable Channel listener;
  private boolean isClosed;

  private FaultProxy(InetSocketAddress target) {
    this.target = target;
    this.listener = listenOnAFreePort();
    this.port = ((InetSocketAddress) listener.localAddress()).getPort();
  }

  /**
   * Starts a proxy before a server.
   *
   * @param server the server; it may stop and restart
   * @return the proxy, without faults
   */
  public static FaultProxy before(RedisServer server) {
    return before(server.host(), server.port());
  }

  /**
   * Starts a proxy before anything that listens on a TCP port.
   *
   * @param host the name or address of the server
   * @param port its port, 1 to 65535; no server has to listen there yet
   * @return the proxy, without faults
   */
  public static FaultProxy before(String host, int port) {
    return new FaultProxy(new InetSocketAddress(host, port));
  }

  /**
   * The address that the proxy listens on.
   *
   * @return always {@code 127.0.0.1}
   */
  public String host() {
    return Launcher.HOST;
  }

  /**
   * The port that the proxy listens on; it stays the same while connections are refused.
   *
   * @return the port, 1 to 65535
   */
  public int port() {
    return port;
  }

  /**
   * The proxy's address in the form that clients of Redis take.
   *
   * @return a URI such as {@code redis://127.0.0.1:12345}
   */
  public String uri() {
    return "redis://" + host() + ":" + port;
  }

  /**
   * How many clients are connected now, in the black hole too.
   *
   * @return the count, 0 or more
   */
  public int connections() {
    return callInLoop(
        () -> (int) connections.stream().filter(ProxyConnection::isClientConnected).count());
  }

  /**
   * How many connections were accepted so far, closed ones included.
   *
   * @return the count, 0 or more
   */
  public long accepted() {
    return accepted.get();
  }

  /**
   * Closes all connections, on the side of the client and on that of the server. A client may
   * connect again at once, unless {@link #refuse()} was called before.
   */
  public void cut() {
    inLoop(this::closeConnections);
  }

  /** Refuses new connections until {@link #accept()}; open ones stay. */
  public synchronized void refuse() {
    Channel open = listener;
    if (open != null) {
      listener = null;
      var unused = open.close().syncUninterruptibly();
      awaitRefusal();
    }
  }

  /**
   * Accepts new connections again, on the same port. Does nothing if the proxy accepts them.
   *
   * @throws IllegalStateException if the proxy is closed, or another process has taken the port
   */
  public synchronized void accept() {
    if (isClosed) {
      throw new IllegalStateException("The proxy on port " + port + " is closed");
    }
    if (listener == null) {
      ChannelFuture bound = bind(port);
      if (!bound.isSuccess()) {
        throw new IllegalStateException("Port " + port + " is taken", bound.cause());
      }
      listener = bound.channel();
    }
  }

  /**
   * Leads new connections to another server, as a name does whose address was changed; those that
   * are there stay with the one that they have reached.
   *
   * @param server the other server
   */
  public void leadTo(RedisServer server) {
    target = new InetSocketAddress(server.host(), server.port());
  }

  /**
   * Drops what clients send: it does not reach the server.
   *
   * @param drop true to begin; false to end, which cuts the connections that lost something
   */
  public void dropRequests(boolean drop) {
    inLoop(
        () -> {
          faults.dropRequests = drop;
          closeLossyUnless(drop);
        });
  }

  /**
   * Drops what the server answers: it executes commands, and clients get no reply.
   *
   * <p>A client may send a script by its hash first; then the lost reply can be {@code NOSCRIPT},
   * and nothing was executed.
   *
   * @param drop true to begin; false to end, which cuts the connections that lost something
   */
  public void dropReplies(boolean drop) {
    inLoop(
        () -> {
          faults.dropReplies = drop;
          closeLossyUnless(drop);
        });
  }

  /**
   * Swallows all bytes of both directions and hides that the other side has closed a connection, as
   * a network without a route does. New connections are accepted, as by a server that hangs, but do
   * not reach it.
   *
   * @param swallow true to begin; false to end, which cuts the connections that lost something
   */
  public void blackHole(boolean swallow) {
    inLoop(
        () -> {
          faults.blackHole = swallow;
          closeLossyUnless(swallow);
        });
  }

  /**
   * Delays what clients send, from now on; bytes never overtake earlier ones that waited longer.
   *
   * @param delay zero or more; zero for none
   */
  public void delayRequests(Duration delay) {
    checkDelay(delay);
    inLoop(() -> faults.requestDelay = delay);
  }

  /**
   * Delays what the server answers, from now on; bytes never overtake earlier ones that waited
   * longer.
   *
   * @param delay zero or more; zero for none
   */
  public void delayReplies(Duration delay) {
    checkDelay(delay);
    inLoop(() -> faults.replyDelay = delay);
  }

  /**
   * Holds all replies that begin to arrive from now on, of all connections; a reply of which a part
   * has arrived still goes through.
   *
   * @return the handle that releases them
   */
  public HeldReplies holdReplies() {
    return hold(ReplyHold.ofAll(this::release));
  }

  /**
   * Holds one reply, counted over all connections from now on, and whatever its connection receives
   * after it; other connections go on.
   *
   * <p>Replies of RESP2 and RESP3 count, errors and replies to a client's handshake too. The push
   * messages of RESP3 do not; messages of a RESP2 subscription look like replies and do.
   *
   * @param number which reply, 1 for the next
   * @return the handle that releases it
   */
  public HeldReplies holdReply(int number) {
    if (number < 1) {
      throw new IllegalArgumentException("number must be 1 or more, was " + number);
    }
    return hold(ReplyHold.ofOne(number, this::release));
  }

  /**
   * Ends all faults: releases what is held or delayed, in order, cuts the connections that lost
   * something, and accepts new ones.
   *
   * @throws IllegalStateException as {@link #accept()} does
   */
  public void reset() {
    inLoop(
        () -> {
          faults.clear();
          closeLossyUnless(false);
          List.copyOf(faults.holds).forEach(this::openFor);
          connections.forEach(ProxyConnection::sendAllNow);
        });
    accept();
  }

  /** Cuts all connections and frees the port. Closing again does nothing. */
  @Override
  public synchronized void close() {
    isClosed = true;
    refuse();
    cut();
  }

  private HeldReplies hold(ReplyHold hold) {
    inLoop(() -> faults.holds.add(hold));
    return hold;
  }

  private void release(ReplyHold hold) {
    inLoop(() -> openFor(hold));
  }

  private void openFor(ReplyHold hold) {
    faults.holds.remove(hold);
    hold.released();
    connections.forEach(connection -> connection.open(hold));
  }

  private void closeLossyUnless(boolean faulty) {
    if (!faulty) {
      List.copyOf(connections).forEach(ProxyConnection::closeIfLossy);
    }
  }

  private void closeConnections() {
    List.copyOf(connections).forEach(ProxyConnection::close);
  }

  private Channel listenOnAFreePort() {
    ChannelFuture bound = bind(Ports.free());
    for (int attempt = 1; attempt < PORT_ATTEMPTS && !bound.isSuccess(); attempt++) {
      bound = bind(Ports.free());
    }
    return bound.syncUninterruptibly().channel();
  }

  private ChannelFuture bind(int free) {
    return new ServerBootstrap()
        .group(loop)
        .channel(NioServerSocketChannel.class)
        .option(ChannelOption.SO_REUSEADDR, true)
        .childOption(ChannelOption.TCP_NODELAY, true)
        .childOption(ChannelOption.ALLOCATOR, UnpooledByteBufAllocator.DEFAULT)
        .childHandler(
            new ChannelInitializer<>() {
              @Override
              protected void initChannel(Channel client) {
                proxy(client);
              }
            })
        .bind(Launcher.HOST, free)
        .awaitUninterruptibly();
  }

  /** A selector holds on to a closed socket, and lets clients connect to it, until it selects. */
  private void awaitRefusal() {
    long end = System.nanoTime() + TIMEOUT.toNanos();
    while (!Ports.refuses(port)) {
      if (System.nanoTime() - end > 0) {
        throw new IllegalStateException("Port " + port + " must be free within " + TIMEOUT);
      }
      inLoop(() -> {});
    }
  }

  private void proxy(Channel client) {
    ProxyConnection connection = new ProxyConnection(client, faults, connections::remove);
    connections.add(connection);
    accepted.incrementAndGet();
    client.pipeline().addLast(new SocketEvents(connection::request, connection::clientClosed));
    if (faults.blackHole) {
      connection.swallowed();
    } else {
      connect(connection);
    }
  }

  private void connect(ProxyConnection connection) {
    var unused =
        new Bootstrap()
            .group(loop)
            .channel(NioSocketChannel.class)
            .option(ChannelOption.TCP_NODELAY, true)
            .option(ChannelOption.ALLOCATOR, UnpooledByteBufAllocator.DEFAULT)
            .handler(new SocketEvents(connection::reply, connection::serverClosed))
            .connect(target)
            .addListener(
                (ChannelFuture connected) -> {
                  if (connected.isSuccess()) {
                    connection.serverConnected(connected.channel());
                  } else {
                    connection.close();
                  }
                });
  }

  private static void checkDelay(Duration delay) {
    if (delay.isNegative()) {
      throw new IllegalArgumentException("delay must be zero or more, was " + delay);
    }
  }

  private void inLoop(Runnable change) {
    var unused = loop.submit(change).syncUninterruptibly();
  }

  private <T> T callInLoop(Callable<T> task) {
    return loop.submit(task).syncUninterruptibly().getNow();
  }
}
