// SPDX-License-Identifier: Apache-2.0
package io.monolock.architecture;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Date;
import org.bouncycastle.bcpg.ArmoredOutputStream;
import org.bouncycastle.bcpg.HashAlgorithmTags;
import org.bouncycastle.bcpg.PublicKeyAlgorithmTags;
import org.bouncycastle.bcpg.PublicKeyPacket;
import org.bouncycastle.crypto.generators.Ed25519KeyPairGenerator;
import org.bouncycastle.crypto.params.Ed25519KeyGenerationParameters;
import org.bouncycastle.openpgp.PGPException;
import org.bouncycastle.openpgp.PGPKeyPair;
import org.bouncycastle.openpgp.PGPSecretKey;
import org.bouncycastle.openpgp.PGPSignature;
import org.bouncycastle.openpgp.PGPSignatureList;
import org.bouncycastle.openpgp.PGPUtil;
import org.bouncycastle.openpgp.bc.BcPGPObjectFactory;
import org.bouncycastle.openpgp.operator.bc.BcPGPContentSignerBuilder;
import org.bouncycastle.openpgp.operator.bc.BcPGPContentVerifierBuilderProvider;
import org.bouncycastle.openpgp.operator.bc.BcPGPDigestCalculatorProvider;
import org.bouncycastle.openpgp.operator.bc.BcPGPKeyPair;

/** A new OpenPGP key without a passphrase, to sign with and to check signatures. */
record SigningKey(PGPSecretKey key) {

  static SigningKey create() throws PGPException {
    Ed25519KeyPairGenerator generator = new Ed25519KeyPairGenerator();
    generator.init(new Ed25519KeyGenerationParameters(new SecureRandom()));
    PGPKeyPair pair =
        new BcPGPKeyPair(
            PublicKeyPacket.VERSION_4,
            PublicKeyAlgorithmTags.EDDSA_LEGACY,
            generator.generateKeyPair(),
            new Date());
    return new SigningKey(
        new PGPSecretKey(
            PGPSignature.POSITIVE_CERTIFICATION,
            pair,
            "A test <test@example.org>",
            new BcPGPDigestCalculatorProvider().get(HashAlgorithmTags.SHA1),
            null,
            null,
            new BcPGPContentSignerBuilder(
                pair.getPublicKey().getAlgorithm(), HashAlgorithmTags.SHA256),
            null));
  }

  /** The secret key as text. */
  String armored() throws IOException {
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    try (ArmoredOutputStream armor = ArmoredOutputStream.builder().build(text)) {
      key.encode(armor);
    }
    return text.toString(US_ASCII);
  }

  boolean hasSigned(Path file, Path signature) throws IOException, PGPException {
    try (InputStream armored = PGPUtil.getDecoderStream(Files.newInputStream(signature))) {
      PGPSignature found = ((PGPSignatureList) new BcPGPObjectFactory(armored).nextObject()).get(0);
      found.init(new BcPGPContentVerifierBuilderProvider(), key.getPublicKey());
      found.update(Files.readAllBytes(file));
      return found.verify();
    }
  }
}
