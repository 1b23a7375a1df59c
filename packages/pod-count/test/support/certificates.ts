import "reflect-metadata";
import * as x509 from "@peculiar/x509";

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;

/** A server's key and certificate, and the authority that vouches for it; all as PEM text. */
export interface ServerCertificate {
  readonly key: string;
  readonly cert: string;
  readonly ca: string;
}

/** Makes an authority and a certificate of `addresses` that it signed, good for an hour. */
export async function makeServerCertificate(addresses: readonly string[]): Promise<ServerCertificate> {
  const validity = { notBefore: new Date(Date.now() - 60_000), notAfter: new Date(Date.now() + 3_600_000) };
  const authorityKeys = await crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
  const authority = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: "01",
    name: "CN=test authority",
    keys: authorityKeys,
    signingAlgorithm: ALGORITHM,
    ...validity,
    extensions: [new x509.BasicConstraintsExtension(true, 1, true)],
  });
  const keys = await crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: "02",
    subject: "CN=kube-apiserver",
    issuer: authority.subject,
    publicKey: keys.publicKey,
    signingKey: authorityKeys.privateKey,
    signingAlgorithm: ALGORITHM,
    ...validity,
    extensions: [new x509.SubjectAlternativeNameExtension(addresses.map((value) => ({ type: "ip", value })))],
  });
  const key = Buffer.from(await crypto.subtle.exportKey("pkcs8", keys.privateKey)).toString("base64");
  return {
    key: `-----BEGIN PRIVATE KEY-----\n${key}\n-----END PRIVATE KEY-----\n`,
    cert: certificate.toString("pem"),
    ca: authority.toString("pem"),
  };
}
