export { LmdbStore, lmdbCapabilities } from "./lmdb-store.ts";
