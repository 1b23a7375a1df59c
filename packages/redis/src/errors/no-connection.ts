import { DtError } from "@dt/core";
import { clientError } from "./server-error.ts";

/** What a user can do about the reasons that Node, TLS and ioredis give. The first pattern that matches counts. */
const REMEDIES: readonly (readonly [reason: RegExp, remedy: string])[] = [
  [/sentinels are unreachable/, "see that the Sentinels run at these addresses, and that they know `name`"],
  [/ENOTFOUND|EAI_AGAIN/, "see the name of the host"],
  [/ECONNREFUSED|ENOENT|Connection is closed/, "see that Redis runs at this address"],
  [/ETIMEDOUT|EHOSTUNREACH|ENETUNREACH/, "see host, port and firewall; a rediss:// url needs a port with TLS"],
  [/ECONNRESET|EPIPE/, "if this is a port with TLS, give a rediss:// url or options: { tls: {} }"],
  [/wrong version number|packet length too long/, "this port has no TLS: give a redis:// url"],
  [/certificate/i, "give the certificate of its authority as options: { tls: { ca } }, and the host by its name in it"],
  [/RESP type|Protocol error/, "another program listens at this port"],
];

/** The error of a call that had no connection within the deadline, for a reason that is known. Nothing was sent. */
export function noConnection(what: string, reason: unknown): DtError {
  const { code, message, cause } = clientError(what, reason, "no connection within the deadline: ");
  const known = code === "DT_STORE_UNAVAILABLE" ? REMEDIES.find(([pattern]) => pattern.test(message)) : undefined;
  return new DtError(code, known ? `${message}; ${known[1]}` : message, { cause });
}
