import type { Endpoint } from "@dt-tooling/backends";

/** Addresses of servers as the servers name each other, and where this worker reaches them. */
export type NatMap = Readonly<Record<string, Endpoint>>;

/** Where a worker finds its store. */
export type StoreAddress =
  | { readonly kind: "redis"; readonly url: string }
  | {
      readonly kind: "redis-sentinel";
      readonly sentinels: readonly Endpoint[];
      readonly name: string;
      readonly natMap: NatMap;
    }
  | { readonly kind: "redis-cluster"; readonly nodes: readonly Endpoint[]; readonly natMap: NatMap }
  | { readonly kind: "postgres"; readonly url: string }
  | { readonly kind: "etcd"; readonly endpoints: readonly string[] }
  | { readonly kind: "sqlite"; readonly path: string }
  | {
      readonly kind: "dynamodb";
      readonly endpoint: string;
      readonly table: string;
      readonly region: string;
      readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
    };
