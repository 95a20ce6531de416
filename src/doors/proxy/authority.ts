// tsyringe, which `@peculiar/x509` uses, needs it.
import "reflect-metadata";
import { KeyObject, webcrypto } from "node:crypto";
import { isIP } from "node:net";
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509CertificateGenerator,
} from "@peculiar/x509";

/** A certificate with its key, and the authority that a client has to trust. All are PEM. */
export interface Certificate {
  readonly authority: string;
  readonly cert: string;
  readonly key: string;
}

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
/** How long certificates are valid before and after now, in milliseconds: clocks may differ. */
const BEFORE = 3_600_000;
const AFTER = 30 * 86_400_000;

/**
 * Makes a certificate for hosts, and an authority for this one certificate. The authority's key is thrown
 * away, so it can sign nothing else.
 */
export async function makeCertificate(hosts: readonly string[]): Promise<Certificate> {
  const [own, served] = await Promise.all([makeKeys(), makeKeys()]);
  const validity = {
    notBefore: new Date(Date.now() - BEFORE),
    notAfter: new Date(Date.now() + AFTER),
    signingAlgorithm: ALGORITHM,
  };
  const authority = await X509CertificateGenerator.createSelfSigned({
    ...validity,
    name: "CN=latchkey: throw-away authority",
    keys: own,
    extensions: [
      // It may not sign further authorities.
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign, true),
      await SubjectKeyIdentifierExtension.create(own.publicKey),
    ],
  });
  const names = hosts.map((value) => {
    return { type: isIP(value) === 0 ? ("dns" as const) : ("ip" as const), value };
  });
  const certificate = await X509CertificateGenerator.create({
    ...validity,
    subject: "CN=latchkey",
    issuer: authority.subject,
    publicKey: served.publicKey,
    signingKey: own.privateKey,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension(names),
      // Python 3.13 and later require it.
      await AuthorityKeyIdentifierExtension.create(own.publicKey),
    ],
  });
  return {
    authority: `${authority.toString("pem")}\n`,
    cert: `${certificate.toString("pem")}\n`,
    key: KeyObject.from(served.privateKey).export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

function makeKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
}
