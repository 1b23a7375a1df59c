import { InvalidArgumentError } from "commander";

/** Where a store is, as given on the command line. */
export type StoreAddress =
  | { readonly kind: "sqlite"; readonly path: string }
  | { readonly kind: "redis"; readonly url: string };

/** `sqlite:<path>`, `redis://...` or `rediss://...`. */
export function parseStoreAddress(text: string): StoreAddress {
  if (text.startsWith("sqlite:")) {
    const path = text.slice("sqlite:".length);
    if (path !== "" && !path.includes("\0")) return { kind: "sqlite", path };
    throw new InvalidArgumentError("Give a file: sqlite:<path>.");
  }
  if (/^rediss?:\/\//.test(text)) {
    if (URL.canParse(text) && new URL(text).hostname !== "") return { kind: "redis", url: text };
    throw new InvalidArgumentError("Give a host: redis://<host>:<port>.");
  }
  throw new InvalidArgumentError("Give sqlite:<path>, redis://<host>:<port> or rediss://<host>:<port>.");
}

/** The address for messages and reports: without a password. */
export function showStoreAddress(address: StoreAddress): string {
  if (address.kind === "sqlite") return `sqlite:${address.path}`;
  const url = new URL(address.url);
  if (url.password !== "") url.password = "***";
  return url.href;
}
