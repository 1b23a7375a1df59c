import type { RedisAuth, RedisTls } from "../spec/rate-limit.ts";
import type { Endpoint, StorePlan } from "./plan.ts";
import { readSecret, type SecretResolver } from "./secrets.ts";

/** Options of a TLS connection of Node. */
export interface TlsOptions {
  readonly rejectUnauthorized?: boolean;
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** Options of ioredis for a master that Sentinels name. */
export interface SentinelOptions {
  readonly sentinels: Endpoint[];
  readonly name: string;
  readonly db?: number;
  readonly username?: string;
  readonly password?: string;
  readonly sentinelUsername?: string;
  readonly sentinelPassword?: string;
  readonly tls?: TlsOptions;
  readonly enableTLSForSentinelMode?: boolean;
  readonly sentinelTLS?: TlsOptions;
}

/** What `redisStore` of `@dt/redis` is given for a spec. */
export type SpecRedisOptions = { readonly url: string } | { readonly options: SentinelOptions };

/**
 * The options of `redisStore` that a spec has, with its secrets.
 * @throws DtError `DT_INVALID_OPTION` where a secret is not there
 */
export async function redisOptions(
  plan: Exclude<StorePlan, { readonly type: "memory" }>,
  secrets: SecretResolver,
): Promise<SpecRedisOptions> {
  if (plan.mode === "single") return { url: withDatabase(plan.url, plan.db) };
  const { sentinel, endpoints, db } = plan;
  const at = "store.redisStore.sentinel";
  const redis = await credentials(sentinel.redisAuth, `${at}.redisAuth`, secrets);
  const daemons = await credentials(sentinel.sentinelAuth, `${at}.sentinelAuth`, secrets);
  const tls = await tlsOptions(sentinel.redisTLS, `${at}.redisTLS`, secrets);
  const sentinelTLS = await tlsOptions(sentinel.sentinelTLS, `${at}.sentinelTLS`, secrets);
  return {
    options: {
      sentinels: [...endpoints],
      name: sentinel.masterName,
      ...defined({ db, ...redis, sentinelUsername: daemons.username, sentinelPassword: daemons.password }),
      ...(tls && { tls, enableTLSForSentinelMode: true }),
      ...(sentinelTLS && { sentinelTLS }),
    },
  };
}

/** As in Numaflow, `db` counts where the URL has a database, too. */
function withDatabase(url: string, db: number | undefined): string {
  if (db === undefined) return url;
  const parsed = new URL(url);
  parsed.pathname = `/${db}`;
  return parsed.href;
}

async function credentials(
  auth: RedisAuth | undefined,
  field: string,
  secrets: SecretResolver,
): Promise<{ readonly username?: string; readonly password?: string }> {
  return defined({
    username: auth?.username && (await readSecret(auth.username, `${field}.username`, secrets)),
    password: auth?.password && (await readSecret(auth.password, `${field}.password`, secrets)),
  });
}

async function tlsOptions(
  tls: RedisTls | undefined,
  field: string,
  secrets: SecretResolver,
): Promise<TlsOptions | undefined> {
  if (tls === undefined) return undefined;
  const { insecureSkipVerify, caCertSecret } = tls;
  const [cert, key] = [tls.certSecret ?? tls.clientCertSecret, tls.keySecret ?? tls.clientKeySecret];
  return {
    ...(insecureSkipVerify === true ? { rejectUnauthorized: false } : {}),
    ...defined({
      ca: caCertSecret && (await readSecret(caCertSecret, `${field}.caCertSecret`, secrets)),
      cert: cert && (await readSecret(cert, `${field}.certSecret`, secrets)),
      key: key && (await readSecret(key, `${field}.keySecret`, secrets)),
    }),
  };
}

/** Without the fields that are undefined. */
function defined<Fields extends object>(fields: Fields): { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };
}
