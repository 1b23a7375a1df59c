import { Store } from "../store/store.ts";
import { memoryBackend } from "./backend.ts";
import type { MemoryStoreOptions } from "./options.ts";

/**
 * The reference store: the ledger in this process's memory. For throttles that share a limit within one process, for
 * tests, and as the shortest example of a store. Its clock is the runtime's.
 */
export class MemoryStore extends Store {
  /** @throws DtError `DT_INVALID_OPTION` */
  constructor(options: MemoryStoreOptions = {}) {
    super(memoryBackend(options));
  }
}
