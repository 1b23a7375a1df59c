export { EtcdStore, etcdCapabilities, etcdStore } from "./etcd-store.ts";
export type { EtcdClient } from "./etcd3-driver.ts";
export type { EtcdStoreOptions } from "./options.ts";
