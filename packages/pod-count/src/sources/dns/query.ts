import { Resolver } from "node:dns/promises";
import { DtError } from "@dt/core";

/** Kinds of records that list members: their addresses, or (SRV) their host names. */
export type DnsRecordType = "A" | "AAAA" | "SRV";

/** What is asked, and whom. */
export interface DnsQuestion {
  readonly name: string;
  readonly type: DnsRecordType;
  /** `undefined`: the system's. */
  readonly servers: readonly string[] | undefined;
  readonly timeoutMs: number;
}

/** Addresses or host names, and how long they may be kept; SRV answers do not say how long (Node.js does not tell). */
export interface DnsRecords {
  readonly values: readonly string[];
  readonly ttlMs: number | undefined;
}

/**
 * Asks once; the resolver repeats a lost packet, goes on to the next server, and turns to TCP when an answer is cut
 * short. An empty answer has no values.
 * @throws DtError as {@link dnsError} says
 */
export async function queryDns(question: DnsQuestion, signal: AbortSignal): Promise<DnsRecords> {
  const { name, type, servers, timeoutMs } = question;
  // A resolver for each question, so that a change of the system's configuration is noticed.
  const resolver = new Resolver({ timeout: Math.ceil(timeoutMs / 3), tries: 2 });
  if (servers) resolver.setServers(servers);
  const cancel = (): void => resolver.cancel();
  signal.addEventListener("abort", cancel, { once: true });
  try {
    if (type === "SRV") {
      const records = await resolver.resolveSrv(name);
      return { values: records.map((record) => record.name.toLowerCase().replace(/\.$/, "")), ttlMs: undefined };
    }
    const records = await (type === "A"
      ? resolver.resolve4(name, { ttl: true })
      : resolver.resolve6(name, { ttl: true }));
    const ttls = records.map(({ ttl }) => ttl);
    return { values: records.map(({ address }) => address.toLowerCase()), ttlMs: Math.min(...ttls) * 1_000 };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENODATA") return { values: [], ttlMs: 0 };
    throw dnsError(question, error);
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}

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
function dnsError({ name, type }: DnsQuestion, cause: unknown): DtError {
  const code = (cause as NodeJS.ErrnoException).code ?? String(cause);
  return new DtError(
    "DT_STORE_UNAVAILABLE",
    `dns ${type} ${name} failed with ${code}: ${REMEDIES[code] ?? "try the same question with dig"}`,
    {
      cause,
    },
  );
}
