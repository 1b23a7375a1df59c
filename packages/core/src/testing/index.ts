/** The member's side of the share ledger, and a group's rows, for models of the protocol. */
export { Holding } from "../consensus/holding.ts";
export { MemoryTable } from "../memory/memory-table.ts";
export { SlotShare } from "../semaphore/slot-share.ts";
export type { SlotShareState } from "../semaphore/slot-share-state.ts";
export { settle, VirtualRuntime } from "./virtual-runtime.ts";
