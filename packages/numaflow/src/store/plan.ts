import type { SpecProblem } from "../spec/problem.ts";
import type { RedisSentinel, RedisStoreSpec, StoreSpec } from "../spec/rate-limit.ts";

/** A Sentinel. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/** The store of a spec, before secrets are read. */
export type StorePlan =
  | { readonly type: "memory" }
  | { readonly type: "redis"; readonly mode: "single"; readonly url: string; readonly db: number | undefined }
  | {
      readonly type: "redis";
      readonly mode: "sentinel";
      readonly sentinel: RedisSentinel;
      readonly endpoints: readonly Endpoint[];
      readonly db: number | undefined;
    };

/** Where Sentinels listen. */
const SENTINEL_PORT = 26_379;
const MOST_PORTS = 65_535;

/**
 * The store that a block asks for.
 * @param field where the block stands, for problems
 */
export function planStore({ redisStore }: StoreSpec, field: string, problems: SpecProblem[]): StorePlan {
  if (redisStore === undefined) return { type: "memory" };
  const at = `${field}.redisStore`;
  return (redisStore.mode === "single" ? planSingle : planSentinel)(redisStore, at, problems) ?? { type: "memory" };
}

function planSingle({ url, db }: RedisStoreSpec, field: string, problems: SpecProblem[]): StorePlan | undefined {
  const remedy = "give redis://[user[:password]@]host[:port][/database], or rediss:// for TLS";
  // Its value is not shown: it may hold a password.
  const fault =
    url === undefined ? "it is missing, with mode single" : isRedisUrl(url) ? undefined : "it is no Redis URL";
  if (url !== undefined && fault === undefined) return { type: "redis", mode: "single", url, db };
  problems.push({ field: `${field}.url`, message: `${fault}; ${remedy}` });
  return undefined;
}

function isRedisUrl(url: string): boolean {
  return /^rediss?:\/\//.test(url) && URL.canParse(url) && new URL(url).hostname !== "";
}

function planSentinel({ sentinel, db }: RedisStoreSpec, field: string, problems: SpecProblem[]): StorePlan | undefined {
  const at = `${field}.sentinel`;
  if (sentinel === undefined) {
    problems.push({ field: at, message: "it is missing, with mode sentinel; give masterName and endpoints" });
    return undefined;
  }
  const endpoints = sentinel.endpoints.map((text, i) => {
    const endpoint = readEndpoint(text);
    if (endpoint === undefined)
      problems.push({
        field: `${at}.endpoints[${i}]`,
        message: 'it is no address of a Sentinel; give host:port, such as "sentinel-0.redis.svc:26379"',
      });
    return endpoint;
  });
  for (const name of ["sentinelAuth", "redisAuth"] as const)
    if (sentinel[name]?.username !== undefined && sentinel[name].password === undefined)
      problems.push({ field: `${at}.${name}.password`, message: "it is missing beside username; give it too" });
  for (const name of ["sentinelTLS", "redisTLS"] as const) checkTls(sentinel[name], `${at}.${name}`, problems);
  const known = endpoints.filter((endpoint) => endpoint !== undefined);
  return { type: "redis", mode: "sentinel", sentinel, endpoints: known, db };
}

function checkTls(tls: RedisSentinel["redisTLS"], field: string, problems: SpecProblem[]): void {
  for (const name of ["certSecret", "keySecret"] as const) {
    const other = name === "certSecret" ? "clientCertSecret" : "clientKeySecret";
    if (tls?.[name] !== undefined && tls[other] !== undefined)
      problems.push({ field: `${field}.${other}`, message: `it means the same as ${name}; give one of them` });
  }
  const [cert, key] = [tls?.certSecret ?? tls?.clientCertSecret, tls?.keySecret ?? tls?.clientKeySecret];
  if ((cert === undefined) !== (key === undefined))
    problems.push({
      field,
      message: "a certificate and its key go together; give certSecret and keySecret, or neither",
    });
}

/** `host:port`, `[address]:port`, or the same after `redis://`, as Numaflow's client takes it. */
function readEndpoint(text: string): Endpoint | undefined {
  const address = text.replace(/^redis:\/\//, "").replace(/\/$/, "");
  if (/[\s/@?#]/.test(address) || !URL.canParse(`redis://${address}`)) return undefined;
  const { hostname, port } = new URL(`redis://${address}`);
  const number = port === "" ? SENTINEL_PORT : Number(port);
  if (hostname === "" || number < 1 || number > MOST_PORTS) return undefined;
  return { host: hostname.replace(/^\[(.*)\]$/, "$1"), port: number };
}

/** A URL without user, password and parameters. */
export function withoutCredentials(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}

/** What two stores have in common that are the same one: their address. */
export function addressOf(plan: StorePlan): string | undefined {
  if (plan.type === "memory") return undefined;
  if (plan.mode === "single") return `${withoutCredentials(plan.url)} ${plan.db ?? ""}`;
  const endpoints = plan.endpoints.map(({ host, port }) => `${host}:${port}`).toSorted();
  return `${plan.sentinel.masterName} ${endpoints.join(" ")} ${plan.db ?? ""}`;
}
