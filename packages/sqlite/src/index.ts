export type { SqliteStoreOptions } from "./options.ts";
export { SqliteStore, sqliteCapabilities, sqliteStore } from "./sqlite-store.ts";
