import { InvalidArgumentError } from "commander";

/** Where a store is, as given on the command line. */
export type StoreAddress =
  | { readonly kind: "sqlite"; readonly path: string }
  | { readonly kind: "redis" | "postgres" | "etcd"; readonly url: string };

const FORMS =
  "sqlite:<path>, redis://<host>:<port>, rediss://..., postgres://<host>/<database> or etcd://<host>:<port>";

/** Which store a scheme stands for. */
const KINDS = {
  "redis:": "redis",
  "rediss:": "redis",
  "postgres:": "postgres",
  "postgresql:": "postgres",
  "etcd:": "etcd",
} as const;

/** One of the {@link FORMS}. */
export function parseStoreAddress(text: string): StoreAddress {
  if (text.startsWith("sqlite:")) {
    const path = text.slice("sqlite:".length);
    if (path !== "" && !path.includes("\0")) return { kind: "sqlite", path };
    throw new InvalidArgumentError("Give a file: sqlite:<path>.");
  }
  const [scheme = ""] = /^[a-z]+:(?=\/\/)/.exec(text) ?? [];
  const kind = KINDS[scheme as keyof typeof KINDS];
  if (kind === undefined) throw new InvalidArgumentError(`Give ${FORMS}.`);
  if (URL.canParse(text) && new URL(text).hostname !== "") return { kind, url: text };
  throw new InvalidArgumentError(`Give a host: ${scheme}//<host>.`);
}

/** The address for messages and reports: without a password. */
export function showStoreAddress(address: StoreAddress): string {
  if (address.kind === "sqlite") return `sqlite:${address.path}`;
  const url = new URL(address.url);
  if (url.password !== "") url.password = "***";
  return url.href;
}
