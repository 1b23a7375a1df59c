import { DtError, type Duration, type Runtime } from "@dt/core";
import { checkKeys, invalidOption, option, settingsOf, type TableOf } from "@dt/core/internal";
import { discreet } from "@dt/core/ledger";
import type { Driver } from "./driver.ts";
import { createClient, Etcd3Driver, type EtcdAddress, type EtcdClient } from "./etcd3-driver.ts";
import { checkPrefix } from "./keys.ts";

/** Options of {@link etcdStore}. Exactly one way to reach etcd: `client` or `endpoints`. */
export interface EtcdStoreOptions {
  /**
   * A client of yours (`new Etcd3(...)`), which stays yours: the store neither changes nor closes it.
   * @default none
   */
  readonly client?: EtcdClient;
  /**
   * `http://host:port` or `https://host:port`, one for each node, all of the same kind. The store makes a client of its
   * own.
   * @default none
   */
  readonly endpoints?: string | readonly string[];
  /**
   * User and password, where etcd asks for them. With `endpoints` only.
   * @default none
   */
  readonly auth?: { readonly username: string; readonly password: string };
  /**
   * PEM texts: certificates to trust instead of those that Node trusts, and the client's own certificate and key where
   * etcd asks for them. With `endpoints` only.
   * @default none
   */
  readonly tls?: { readonly ca: string; readonly cert?: string; readonly key?: string };
  /**
   * What every key begins with, before a slash.
   * @default `"dt"`
   */
  readonly prefix?: string;
  /**
   * Deadline of every call, connecting included.
   * @default `"1s"`
   */
  readonly timeout?: Duration;
  /**
   * Clock, timers and randomness.
   * @default the real ones
   */
  readonly runtime?: Runtime;
}

const STORE = {
  client: option.later,
  endpoints: option.later,
  auth: option.later,
  tls: option.later,
  prefix: option.checked((_, prefix) => checkPrefix(prefix)).or("dt"),
  timeout: option.driverTimeout.or("1s"),
  runtime: option.runtime,
} satisfies TableOf<EtcdStoreOptions>;

const KNOWN_AUTH: ReadonlySet<string> = new Set(["username", "password"]);
const KNOWN_TLS: ReadonlySet<string> = new Set(["ca", "cert", "key"]);

/** Options, checked. */
export interface EtcdStoreSettings {
  readonly driver: Driver;
  readonly prefix: string;
  readonly timeoutMs: number;
  readonly runtime: Runtime;
}

/** @throws DtError `DT_INVALID_OPTION` */
export function checkEtcdStoreOptions(options: EtcdStoreOptions): EtcdStoreSettings {
  const { prefix, ...settings } = settingsOf(STORE, options);
  return { driver: connect(options, settings), prefix, ...settings };
}

function connect(
  options: EtcdStoreOptions,
  settings: { readonly runtime: Runtime; readonly timeoutMs: number },
): Driver {
  const { client, endpoints, auth, tls } = options;
  if ((client === undefined) === (endpoints === undefined))
    throw invalidOption(
      "the way to etcd",
      client === undefined ? undefined : "client, endpoints",
      "give either client or endpoints",
    );
  if (client === undefined) {
    const address = { endpoints: checkEndpoints(endpoints), auth: checkAuth(auth), tls: checkTls(tls) };
    if (tls && address.endpoints[0]?.startsWith("http:"))
      throw invalidOption("tls", tls, "give endpoints that begin with https://, or leave tls out");
    return new Etcd3Driver(connectTo(address as EtcdAddress, settings.runtime), settings, true);
  }
  for (const [name, value] of Object.entries({ auth, tls }))
    if (value !== undefined) throw invalidOption(name, value, "leave it out: the client handed in has its own");
  return new Etcd3Driver(checkClient(client), settings, false);
}

/** What is wrong with a certificate or a key, OpenSSL says when they are used first; without their text. */
function connectTo(address: EtcdAddress, runtime: Runtime): EtcdClient {
  try {
    return createClient(address, runtime);
  } catch (error) {
    const { message } = discreet(error);
    throw undisclosed(
      "tls",
      "PEM text that OpenSSL cannot read",
      `give other certificates, or another key: ${message}`,
    );
  }
}

function checkClient(client: EtcdClient): EtcdClient {
  const parts = ["kv", "leaseClient", "watchClient"] as const;
  if (typeof client === "object" && client !== null && parts.every((part) => typeof client[part] === "object"))
    return client;
  throw invalidOption("client", client, "give a client of the package etcd3: new Etcd3({ hosts })");
}

function checkEndpoints(value: unknown): readonly string[] {
  const endpoints: unknown[] = Array.isArray(value) ? value : [value];
  const remedy = 'give "http://host:port" or "https://host:port", or several of the same kind';
  if (endpoints.length === 0) throw invalidOption("endpoints", value, remedy);
  for (const endpoint of endpoints) {
    const isText = typeof endpoint === "string";
    if (isText && /^https?:\/\/[^/@]+\/?$/.test(endpoint) && URL.canParse(endpoint)) continue;
    // One with a password in it is not shown.
    if (isText && endpoint.includes("@"))
      throw invalidOption("endpoints", "...@...", `${remedy}; a password goes to auth`);
    throw invalidOption("endpoints", endpoint, remedy);
  }
  const all = (endpoints as string[]).map((endpoint) => endpoint.replace(/\/$/, ""));
  if (new Set(all.map((endpoint) => new URL(endpoint).protocol)).size > 1)
    throw invalidOption("endpoints", all.join(", "), remedy);
  return all;
}

function checkAuth(auth: EtcdStoreOptions["auth"]): EtcdStoreOptions["auth"] {
  if (auth === undefined) return undefined;
  const remedy = "give { username, password }";
  if (typeof auth !== "object" || auth === null) throw undisclosed("auth", kindOf(auth), remedy);
  checkKeys("auth", auth, KNOWN_AUTH, "auth.");
  for (const name of ["username", "password"] as const)
    if (typeof auth[name] !== "string") throw undisclosed(`auth.${name}`, kindOf(auth[name]), remedy);
  if (auth.username === "") throw undisclosed("auth.username", "empty", remedy);
  return auth;
}

function checkTls(tls: EtcdStoreOptions["tls"]): EtcdStoreOptions["tls"] {
  if (tls === undefined) return undefined;
  if (typeof tls !== "object" || tls === null)
    throw undisclosed("tls", kindOf(tls), "give { ca, cert?, key? } with PEM text");
  checkKeys("tls", tls, KNOWN_TLS, "tls.");
  for (const [name, required] of [
    ["ca", true],
    ["cert", tls?.key !== undefined],
    ["key", tls?.cert !== undefined],
  ] as const) {
    const value: unknown = tls?.[name];
    const isPem = typeof value === "string" && value.includes("-----BEGIN ");
    if (isPem || (value === undefined && !required)) continue;
    const problem = typeof value === "string" ? "text without -----BEGIN" : kindOf(value);
    throw undisclosed(`tls.${name}`, problem, 'give PEM text, such as readFileSync(file, "utf8")');
  }
  return tls;
}

/** A `DT_INVALID_OPTION` that does not show the value: it may be a secret. */
function undisclosed(option: string, problem: string, remedy: string): DtError {
  return new DtError("DT_INVALID_OPTION", `${option} is ${problem}; ${remedy}`);
}

/** What a value is, without the value. */
function kindOf(value: unknown): string {
  if (value === undefined) return "missing";
  if (value === null) return "null";
  if (typeof value === "string") return "text";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
