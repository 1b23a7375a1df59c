import type { Endpoint } from "@dt-tooling/backends";
import type { Fault } from "../faults/fault.ts";
import type { NatMap, StoreAddress } from "../worker/store-address.ts";

/** Where a worker reaches a server. */
export type At = (server: Endpoint) => Endpoint;

/** A store to put under stress: its servers are ours alone. */
export interface Target {
  /** Every server that workers speak to; none where the store is a file. */
  readonly servers: readonly Endpoint[];
  /** The store's address for one worker. */
  address(at: At): StoreAddress;
  /** What can happen to the servers. */
  readonly faults: readonly Fault[];
  /** True where acknowledged writes may be lost: the sums of epochs are then measured, not promised. */
  readonly losesWrites: boolean;
  /** True where the store's clock is the workers' own wall clock, which must not be set wrong below them. */
  readonly wallClockIsStores: boolean;
  stop(): Promise<void>;
}

/** For clients that are told addresses by the servers. */
export function natMap(servers: readonly Endpoint[], at: At): NatMap {
  return Object.fromEntries(servers.map((server) => [`${server.host}:${server.port}`, at(server)]));
}

export const urlAt = (url: string, at: At): string => {
  const whole = new URL(url);
  const { host, port } = at({ host: whole.hostname, port: Number(whole.port) });
  whole.hostname = host;
  whole.port = String(port);
  return whole.href;
};
