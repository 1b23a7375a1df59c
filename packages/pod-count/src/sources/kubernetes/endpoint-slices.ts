import { DtError } from "@dt/core";
import type { OwnNames } from "../own-names.ts";

/** A member of the list: the pod's name, or its address where it is not a pod. */
interface Endpoint {
  readonly name: string;
  readonly addresses: readonly string[];
}

/** The pods of all slices, and which of them this is. */
export interface Endpoints {
  readonly names: readonly string[];
  readonly self: string | undefined;
}

/**
 * The EndpointSlices of a Service. Every endpoint counts, ready or not, and also while it is terminating: its process
 * may still be at work. A pod that is in several slices (IPv4 and IPv6, or while it is moved) is one.
 */
export class EndpointSlices {
  readonly #slices = new Map<string, readonly Endpoint[]>();

  /** Replaces everything by a list; returns its resource version. @throws DtError `DT_STORE_REPLY` */
  replace(list: unknown): string {
    const { items, metadata } = asObject(list, "the list");
    if (!Array.isArray(items)) throw malformed("a list without items");
    const slices = items.map((item) => parseSlice(item));
    this.#slices.clear();
    for (const { name, endpoints } of slices) this.#slices.set(name, endpoints);
    return versionOf(metadata);
  }

  /**
   * Takes a slice that was added, changed or deleted; returns its resource version. @throws DtError `DT_STORE_REPLY`
   */
  change(type: "ADDED" | "MODIFIED" | "DELETED", slice: unknown): string {
    const { name, endpoints } = parseSlice(slice);
    if (type === "DELETED") this.#slices.delete(name);
    else this.#slices.set(name, endpoints);
    const { metadata } = asObject(slice, "a slice");
    return versionOf(metadata);
  }

  endpoints(own: OwnNames): Endpoints {
    const all = [...this.#slices.values()].flat();
    const self = all.find(
      ({ name, addresses }) => own.hosts.has(name) || addresses.some((address) => own.addresses.has(address)),
    );
    return { names: all.map(({ name }) => name), self: self?.name };
  }
}

/** The resource version of a bookmark. @throws DtError `DT_STORE_REPLY` */
export function bookmarkVersion(object: unknown): string {
  const { metadata } = asObject(object, "a bookmark");
  return versionOf(metadata);
}

/** @throws DtError `DT_STORE_REPLY` */
function parseSlice(value: unknown): { readonly name: string; readonly endpoints: readonly Endpoint[] } {
  const { metadata, endpoints } = asObject(value, "a slice");
  const { name } = asObject(metadata, "the metadata of a slice");
  if (typeof name !== "string") throw malformed("a slice without a name");
  if (endpoints === undefined || endpoints === null) return { name, endpoints: [] };
  if (!Array.isArray(endpoints)) throw malformed(`slice ${name} with endpoints that are no list`);
  return { name, endpoints: endpoints.map(parseEndpoint) };
}

function parseEndpoint(value: unknown): Endpoint {
  const { addresses, targetRef } = asObject(value, "an endpoint");
  if (
    !Array.isArray(addresses) ||
    addresses.length === 0 ||
    !addresses.every((address) => typeof address === "string" && address !== "")
  )
    throw malformed("an endpoint without addresses");
  const texts = (addresses as string[]).map((address) => address.toLowerCase());
  const pod = (targetRef ?? {}) as { readonly kind?: unknown; readonly name?: unknown };
  const name = pod.kind === "Pod" && typeof pod.name === "string" && pod.name !== "" ? pod.name : (texts[0] as string);
  return { name, addresses: texts };
}

function versionOf(metadata: unknown): string {
  const { resourceVersion } = asObject(metadata, "metadata");
  if (typeof resourceVersion !== "string" || resourceVersion === "") throw malformed("no resourceVersion");
  return resourceVersion;
}

function asObject(value: unknown, what: string): Record<string, unknown> {
  if (typeof value === "object" && value !== null) return value as Record<string, unknown>;
  throw malformed(`${what} that is not an object`);
}

function malformed(what: string): DtError {
  return new DtError("DT_STORE_REPLY", `kubernetes: the API server answered ${what}`);
}
