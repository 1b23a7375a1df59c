import { isIP } from "node:net";
import { DtError, type Duration } from "@dt/core";
import { checkDuration, invalidOption, option, settingsOf, type TableOf } from "@dt/core/internal";
import type { MemberSource } from "../../members/source.ts";
import { GRACE_MS } from "../backoff.ts";
import { firstLabel, type OwnNames, ownNames } from "../own-names.ts";
import { type Look, Poller } from "../poller.ts";
import { type DnsRecordType, queryDns } from "./query.ts";

/** Options of {@link dnsSource}. */
export interface DnsSourceOptions {
  /**
   * The full name that lists the members: a headless Service, such as `web.default.svc.cluster.local`. Search
   * domains are not applied.
   */
  readonly name: string;
  /**
   * `"SRV"` for names such as `_http._tcp.web.default.svc.cluster.local`.
   * @default `"A"`
   */
  readonly type?: DnsRecordType;
  /**
   * DNS servers as `address` or `address:port`.
   * @default the system's
   */
  readonly servers?: readonly string[];
  /**
   * This member in the answer: its address, or for SRV its host name.
   * @default `POD_IP` or the network interfaces, `POD_NAME` or the host name
   */
  readonly self?: string;
  /**
   * The longest time between two questions; A and AAAA records are asked for again when their time to live is over.
   * @default 30 s, for SRV 5 s
   */
  readonly pollInterval?: Duration;
  /**
   * For SRV: the records' time to live, which Node.js does not show.
   * @default 30 s, as in Kubernetes
   */
  readonly ttl?: Duration;
  /**
   * Deadline of a question.
   * @default 1 s
   */
  readonly timeout?: Duration;
}

/** The longest time to live: for so long a cache may list members that are gone, and a newcomer has to wait. */
const MOST_TTL_MS = 3_600_000;

/** However short a time to live is, this long between two questions. */
const LEAST_POLL_MS = 1_000;

const UNLISTED =
  "for a headless Service set publishNotReadyAddresses: true, or else only ready pods are listed, and set POD_IP from status.podIP (or give self)";

const DNS = {
  name: option.name,
  type: option.oneOf("A", "AAAA", "SRV").or("A"),
  servers: option.checked(checkServers).optional,
  self: option.name.optional,
  pollInterval: option.duration(10).optional,
  ttl: option.later,
  timeout: option.driverTimeout.or("1s"),
} satisfies TableOf<DnsSourceOptions>;

type DnsSettings = ReturnType<typeof checkDnsOptions>;

/**
 * The fleet as DNS lists it: the A or AAAA records of a headless Service, or SRV records.
 * @param options the name that is looked up, and how often
 * @throws DtError `DT_INVALID_OPTION`
 * @example podCountStore({ source: dnsSource({ name: "workers.default.svc.cluster.local" }) });
 */
export function dnsSource(options: DnsSourceOptions): MemberSource {
  const settings = checkDnsOptions(options);
  const { type, name, timeoutMs } = settings;
  const what = `dns ${type} ${name}`;
  return {
    name: what,
    open(observer) {
      const poller = new Poller({ what, timeoutMs, look: looker(settings) }, observer);
      return () => poller.close();
    },
  };
}

/** Asks, and works out how long the answer may be used. */
function looker(settings: DnsSettings): (signal: AbortSignal) => Promise<Look> {
  const { name, type, own, pollMs, assumedTtlMs } = settings;
  let longestTtlMs = 0;
  return async (signal) => {
    const { values, ttlMs } = await queryDns(settings, signal);
    const shownTtlMs = ttlMs ?? assumedTtlMs;
    if (shownTtlMs > MOST_TTL_MS)
      throw new DtError(
        "DT_STORE_UNSUITABLE",
        `dns ${type} ${name} has a time to live of ${shownTtlMs / 1_000} s, so a cache may have an answer of that age; lower it to ${MOST_TTL_MS / 1_000} s at most (5 or 30 are usual)`,
      );
    // What a cache answers has less time left than the record began with; the longest seen is about what it began with.
    longestTtlMs = Math.max(longestTtlMs, shownTtlMs);
    const nextMs = ttlMs === undefined ? pollMs : Math.min(pollMs, Math.max(LEAST_POLL_MS, ttlMs));
    const freshForMs = nextMs + GRACE_MS;
    // With a known time to live the next question comes when the records are as old as they may be; otherwise they may
    // be so old already.
    const lagMs = longestTtlMs + GRACE_MS + (ttlMs === undefined ? nextMs : LEAST_POLL_MS);
    const self = values.find((value) => isOwn(type, value, own));
    return { answer: { members: values, self, remedy: UNLISTED, freshForMs, lagMs }, nextMs };
  };
}

function isOwn(type: DnsRecordType, value: string, { addresses, hosts }: OwnNames): boolean {
  if (type !== "SRV") return addresses.has(value);
  const label = firstLabel(value);
  // A pod without a host name of its own is listed by its address, with dashes.
  return (
    addresses.has(value) ||
    hosts.has(label) ||
    [...addresses].some((address) => address.replace(/[.:]/g, "-") === label)
  );
}

function checkDnsOptions(options: DnsSourceOptions) {
  const { self, pollIntervalMs, ...settings } = settingsOf(DNS, options, "dnsSource options");
  return {
    ...settings,
    own: ownNames(self),
    pollMs: pollIntervalMs ?? (settings.type === "SRV" ? 5_000 : 30_000),
    assumedTtlMs: checkTtl(options.ttl ?? "30s"),
  };
}

function checkServers(name: string, servers: unknown): readonly string[] {
  if (Array.isArray(servers) && servers.length > 0 && servers.every(isServer)) return servers;
  throw invalidOption(
    name,
    Array.isArray(servers) && servers.every((server) => typeof server === "string") ? servers.join(",") : servers,
    'give addresses with or without a port, such as ["10.0.0.10", "[fd00::10]:5353"]',
  );
}

function checkTtl(ttl: Duration): number {
  const ms = checkDuration("ttl", ttl, 0);
  if (ms > MOST_TTL_MS) throw invalidOption("ttl", ttl, "give at most 1 h, and the records no more");
  return ms;
}

function isServer(server: unknown): boolean {
  if (typeof server !== "string") return false;
  const [, bracketed, plain] = /^(?:\[(.+)\]|([^:]+))(?::\d{1,5})?$/.exec(server) ?? [];
  return isIP(server) !== 0 || isIP(bracketed ?? plain ?? "") !== 0;
}
