import { Resolver } from "node:dns/promises";
import { dnsError } from "./dns-error.ts";

/** Kinds of records that list processors: their addresses, or (SRV) their host names. */
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
