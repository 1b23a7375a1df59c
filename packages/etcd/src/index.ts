export { etcdCapabilities } from "./backend.ts";
export { EtcdStore, etcdStore } from "./etcd-store.ts";
export type { EtcdClient } from "./etcd3-driver.ts";
export type { EtcdStoreOptions } from "./options.ts";
