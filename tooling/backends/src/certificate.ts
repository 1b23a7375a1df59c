import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { type Program, requireProgram } from "./program.ts";
import type { Sandbox } from "./sandbox.ts";

const run = promisify(execFile);

const openssl: Program = {
  command: "openssl",
  aptPackage: "openssl",
  hint: "Install OpenSSL (Debian: apt-get install openssl, macOS: brew install openssl).",
};

/** A self-signed certificate of one server, for 127.0.0.1 and localhost, good for two days. */
export interface Certificate {
  readonly certFile: string;
  readonly keyFile: string;
  /** The certificate as PEM text, for clients to trust. */
  readonly ca: string;
}

/** Makes a certificate in the sandbox; its files belong to the server's user, the key readable by nobody else. */
export async function makeCertificate(sandbox: Sandbox): Promise<Certificate> {
  const certFile = sandbox.path("server.crt");
  const keyFile = sandbox.path("server.key");
  const request = ["req", "-x509", "-nodes", "-days", "2", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"];
  const names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"];
  await run(await requireProgram(openssl), [...request, ...names, "-keyout", keyFile, "-out", certFile]);
  await sandbox.own(certFile, keyFile);
  return { certFile, keyFile, ca: await readFile(certFile, "utf8") };
}
