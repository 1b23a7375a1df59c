import { UsageError } from "../exit-code.ts";

/** Where a store is, as given on the command line. */
export type StoreAddress =
  | { readonly kind: "sqlite"; readonly path: string }
  | ({
      readonly kind: "dynamodb";
      readonly table: string;
      readonly region?: string;
      readonly endpoint?: string;
    } & Prefixed)
  | ({ readonly kind: "redis" | "etcd"; readonly url: string } & Prefixed)
  | { readonly kind: "postgres"; readonly url: string; readonly schema?: string };

interface Prefixed {
  readonly prefix?: string;
}

/** What can be given, for messages and help. */
export const STORE_FORMS =
  "sqlite:<path>, redis://<host>:<port>, rediss://..., postgres://<host>/<database>, etcd://<host>:<port>, etcds://... or dynamodb:<table>";

/** Which store a scheme stands for. */
const KINDS = {
  "redis:": "redis",
  "rediss:": "redis",
  "postgres:": "postgres",
  "postgresql:": "postgres",
  "etcd:": "etcd",
  "etcds:": "etcd",
} as const;

/**
 * One of the {@link STORE_FORMS}. What was given is never repeated in a message: it may hold a password.
 * @throws UsageError
 */
export function parseStoreAddress(text: string): StoreAddress {
  if (text.startsWith("sqlite:")) {
    const path = text.slice("sqlite:".length);
    if (path !== "" && !path.includes("\0")) return { kind: "sqlite", path };
    throw new UsageError("the store's address has no file; give sqlite:<path>");
  }
  if (text.startsWith("dynamodb:")) return parseTable(text.slice("dynamodb:".length));
  const [scheme = ""] = /^[a-z]+:(?=\/\/)/.exec(text) ?? [];
  if (!Object.hasOwn(KINDS, scheme))
    throw new UsageError(`the store's address is of no known kind; give ${STORE_FORMS}`);
  if (!URL.canParse(text) || new URL(text).hostname === "")
    throw new UsageError(`the store's address has no host; give ${scheme}//<host>`);
  checkEscapes(text);
  return withPlace(KINDS[scheme as keyof typeof KINDS], text);
}

/** The option of a store by which fleets of one database are kept apart. */
const PLACES = { redis: "prefix", etcd: "prefix", postgres: "schema" } as const;

/** Takes the parameter for the store's own option out of a URL: the rest is the driver's. */
function withPlace(kind: keyof typeof PLACES, text: string): StoreAddress {
  const place = PLACES[kind];
  const url = new URL(text);
  const other = place === "schema" ? "prefix" : "schema";
  if (url.searchParams.has(other))
    throw new UsageError(`a ${kind} address has no parameter ${other}; give ${place}, as in ?${place}=test`);
  const value = url.searchParams.get(place);
  if (value === null) return { kind, url: text };
  url.searchParams.delete(place);
  if (kind === "postgres") return { kind, url: url.href, schema: value };
  return { kind, url: url.href, prefix: value };
}

/**
 * The address for messages and reports: without user, password and the driver's parameters, any of which may be a
 * secret.
 */
export function showStoreAddress(address: StoreAddress): string {
  switch (address.kind) {
    case "sqlite":
      return `sqlite:${address.path}`;
    case "dynamodb":
      return `dynamodb:${address.table}${shownPlace("prefix", address.prefix)}`;
    default: {
      const { protocol, host, pathname } = new URL(address.url);
      const place = address.kind === "postgres" ? address.schema : address.prefix;
      return `${protocol}//${host}${pathname}${shownPlace(PLACES[address.kind], place)}`;
    }
  }
}

function shownPlace(name: string, value: string | undefined): string {
  return value === undefined ? "" : `?${name}=${encodeURIComponent(value)}`;
}

/** A name or an ARN, and not an address such as `//<key>:<secret>@<region>`. */
const TABLE = /^(?:[\w.-]+|arn:[\w:/.-]+)$/;

/**
 * `<table>`, an ARN, or `<table>?region=...&endpoint=...&prefix=...`. Credentials come from the environment, as for
 * every program of AWS.
 */
function parseTable(text: string): StoreAddress {
  const [table = "", query = ""] = text.split("?", 2);
  if (!TABLE.test(table))
    throw new UsageError(
      "the store's address has no table; give dynamodb:<table>, by name or ARN; credentials come from the environment",
    );
  const given = new URLSearchParams(query);
  for (const name of given.keys())
    if (name !== "region" && name !== "endpoint" && name !== "prefix")
      throw new UsageError(`dynamodb:${table} has another parameter than region, endpoint and prefix; give only those`);
  const [region, endpoint, prefix] = ["region", "endpoint", "prefix"].map((name) => given.get(name));
  const known = { ...(region ? { region } : {}), ...(endpoint ? { endpoint } : {}) };
  return { kind: "dynamodb", table, ...known, ...(typeof prefix === "string" ? { prefix } : {}) };
}

/** Drivers decode what a URL holds, and throw a bare URIError at a percent sign that stands for itself. */
function checkEscapes(text: string): void {
  try {
    decodeURIComponent(text);
  } catch {
    throw new UsageError("the store's address has a % that is not an escape; write a percent sign as %25");
  }
}
