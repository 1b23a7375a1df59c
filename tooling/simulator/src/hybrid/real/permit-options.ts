import type { PacerOptions } from "@dt/core";

/** What a permit worker is told. */
export interface PermitWorkerOptions {
  readonly id: string;
  /** What makes its store: a module, the name of a function in it, and that function's options. */
  readonly module: string;
  readonly factory: string;
  readonly store: object;
  readonly pacer: Omit<PacerOptions, "store" | "runtime">;
  /** Its monotonic clock: what is added to the machine's, and how fast it runs. */
  readonly clock: { readonly offsetMs: number; readonly rate: number };
  /** Permits to take, one after the other. */
  readonly permits: number;
}
