import { checkKeys, checkRuntime } from "../internal/check.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { systemRuntime } from "../runtime/system-runtime.ts";

/** Options of {@link MemoryStore}. */
export interface MemoryStoreOptions {
  /** Where the store's time comes from. Default: the real clock. */
  readonly runtime?: Runtime;
}

const KNOWN_OPTIONS: ReadonlySet<string> = new Set(["runtime"]);

/** The options, checked. */
export type MemoryStoreSettings = Required<MemoryStoreOptions>;

/** @throws DtError `DT_INVALID_OPTION` */
export function checkMemoryStoreOptions(options: MemoryStoreOptions): MemoryStoreSettings {
  checkKeys("options", options, KNOWN_OPTIONS);
  return { runtime: checkRuntime(options.runtime ?? systemRuntime) };
}
