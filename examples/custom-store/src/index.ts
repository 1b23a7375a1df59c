export { lmdbCapabilities, lmdbStore } from "./lmdb-store.ts";
