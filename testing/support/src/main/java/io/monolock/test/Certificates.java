// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import javax.net.SocketFactory;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * A certificate authority, and the certificates of a server and of a client that it has issued, as
 * PEM files.
 *
 * <p>They are made by the {@code keytool} of the JDK, in some seconds, and deleted when this JVM
 * ends. The server's certificate is for {@code 127.0.0.1} and no other name.
 *
 * <pre>{@code
 * try (RedisServer server = RedisServer.builder().mutualTls().start()) {
 *   Certificates known = Certificates.ofServers();
 *   // trust known.authority(), show known.client() and known.clientKey()
 * }
 * }</pre>
 */
public final class Certificates {

  private static final Lazy<Certificates> OF_SERVERS = new Lazy<>(Certificates::create);

  private static final char[] PASSWORD = "monolock".toCharArray();
  private static final String AUTHORITY = "authority";
  private static final String SERVER = "server";
  private static final String CLIENT = "client";

  private final Path folder;
  private final KeyStore store;

  private Certificates(Path folder) throws IOException, GeneralSecurityException {
    this.folder = folder;
    Path file = folder.resolve("all.p12");
    generate(file, AUTHORITY, "-ext", "bc:c");
    generate(file, SERVER, "-signer", AUTHORITY, "-ext", "san=ip:" + Launcher.HOST);
    generate(file, CLIENT, "-signer", AUTHORITY);
    store = KeyStore.getInstance("PKCS12");
    try (InputStream content = Files.newInputStream(file)) {
      store.load(content, PASSWORD);
    }
    for (String name : List.of(AUTHORITY, SERVER, CLIENT)) {
      write(certificate(name), "CERTIFICATE", store.getCertificate(name).getEncoded());
      write(key(name), "PRIVATE KEY", store.getKey(name, PASSWORD).getEncoded());
    }
  }

  /**
   * The certificates of all servers that this JVM starts with TLS.
   *
   * @return the same certificates for each call
   */
  public static Certificates ofServers() {
    return OF_SERVERS.get();
  }

  /**
   * Makes other certificates, which servers and clients that use {@link #ofServers()} do not trust.
   *
   * @return new certificates
   */
  public static Certificates create() {
    try {
      Path folder = Files.createTempDirectory("monolock-certificates-");
      Reaper.shared().guard(folder);
      return new Certificates(folder);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("The certificates of keytool cannot be read", e);
    }
  }

  /**
   * The certificate of the authority.
   *
   * @return a PEM file
   */
  public Path authority() {
    return certificate(AUTHORITY);
  }

  /**
   * The certificate of a client.
   *
   * @return a PEM file
   */
  public Path client() {
    return certificate(CLIENT);
  }

  /**
   * The private key of {@link #client()}.
   *
   * @return a PEM file in the form of PKCS #8, without a password
   */
  public Path clientKey() {
    return key(CLIENT);
  }

  Path server() {
    return certificate(SERVER);
  }

  Path serverKey() {
    return key(SERVER);
  }

  /** Connects as the client to servers that the authority knows. */
  SocketFactory sockets() {
    try {
      KeyStore trusted = KeyStore.getInstance("PKCS12");
      trusted.load(null, null);
      trusted.setCertificateEntry(AUTHORITY, store.getCertificate(AUTHORITY));
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(trusted);
      KeyStore own = KeyStore.getInstance("PKCS12");
      own.load(null, null);
      own.setKeyEntry(
          CLIENT, store.getKey(CLIENT, PASSWORD), PASSWORD, store.getCertificateChain(CLIENT));
      KeyManagerFactory keys =
          KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      keys.init(own, PASSWORD);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
      return context.getSocketFactory();
    } catch (IOException | GeneralSecurityException e) {
      throw new IllegalStateException("This JVM does not speak TLS", e);
    }
  }

  private Path certificate(String name) {
    return folder.resolve(name + ".pem");
  }

  private Path key(String name) {
    return folder.resolve(name + ".key");
  }

  private static void generate(Path file, String name, String... more) throws IOException {
    Path keytool = Path.of(System.getProperty("java.home"), "bin", "keytool");
    String password = String.valueOf(PASSWORD);
    List<String> words = new ArrayList<>();
    words.addAll(List.of(keytool.toString(), "-genkeypair", "-keystore", file.toString()));
    words.addAll(List.of("-storetype", "PKCS12", "-storepass", password, "-keypass", password));
    words.addAll(List.of("-alias", name, "-dname", "CN=" + name, "-validity", "3650"));
    words.addAll(List.of("-keyalg", "EC", "-groupname", "secp256r1"));
    words.addAll(List.of(more));
    Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.onExit().join().exitValue() != 0) {
      throw new IOException("keytool has failed: " + output);
    }
  }

  private static void write(Path file, String kind, byte[] content) throws IOException {
    String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
    Files.writeString(
        file, "-----BEGIN %s-----%n%s%n-----END %s-----%n".formatted(kind, text, kind));
  }
}
