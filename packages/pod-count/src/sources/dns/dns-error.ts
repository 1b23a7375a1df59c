import { DtError } from "@dt/core";
import type { DnsQuestion } from "./query.ts";

/** What to do, by the resolver's code. */
const REMEDIES: Readonly<Record<string, string>> = {
  ENOTFOUND:
    "there is no such name (NXDOMAIN); give the full name of a headless Service, such as web.default.svc.cluster.local (search domains are not applied), and note that without a single pod it may not exist yet",
  ESERVFAIL:
    "the DNS server failed (SERVFAIL), which is its own or its upstream's trouble; the last answer stays in use as long as it is fresh",
  EREFUSED: "the DNS server refuses to answer (REFUSED); it is not meant for this name or this client",
  ETIMEOUT: "no DNS server answered in time; check the servers and whether UDP and TCP port 53 are open",
  ECONNREFUSED: "nothing listens at the DNS server's address; check the servers",
};

/** A `DT_STORE_UNAVAILABLE` that says what the DNS server answered and what to do. */
export function dnsError({ name, type }: DnsQuestion, cause: unknown): DtError {
  const code = (cause as NodeJS.ErrnoException).code ?? String(cause);
  return new DtError(
    "DT_STORE_UNAVAILABLE",
    `dns ${type} ${name} failed with ${code}: ${REMEDIES[code] ?? "try the same question with dig"}`,
    {
      cause,
    },
  );
}
