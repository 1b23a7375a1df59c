export { sqliteCapabilities } from "./backend.ts";
export type { SqliteStoreOptions } from "./options.ts";
export { SqliteStore, sqliteStore } from "./sqlite-store.ts";
