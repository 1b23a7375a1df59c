import { LIMITER_KINDS, type LimiterKind } from "../../stores/limiter-kinds.ts";

/** What the page shows, as the part of its address after `#`. */
export type Route =
  | { readonly view: "fleet" }
  | { readonly view: "events" }
  | { readonly view: "limiter"; readonly kind: LimiterKind; readonly name: string };

/** What an address stands for: `#/throttle/payments` is that limiter, `#/events` the events, all else the fleet. */
export function routeOf(hash: string): Route {
  const [, first = "", ...rest] = hash.replace(/^#/, "").split("/");
  if (first === "events" && rest.length === 0) return { view: "events" };
  const kind = LIMITER_KINDS.find((known) => known === first);
  const name = decoded(rest.join("/"));
  return kind === undefined || name === undefined || name === "" ? { view: "fleet" } : { view: "limiter", kind, name };
}

/** The address of a limiter within the page. */
export function hashOf({ kind, name }: { readonly kind: LimiterKind; readonly name: string }): string {
  return `#/${kind}/${encodeURIComponent(name.toWellFormed())}`;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
