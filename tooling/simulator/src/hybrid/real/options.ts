import type { ThrottleOptions } from "@dt/core";

/** What a worker is told. */
export interface WorkerOptions {
  readonly id: string;
  /** What makes its store: a module, the name of a function in it, and that function's options. */
  readonly module: string;
  readonly factory: string;
  readonly store: object;
  readonly throttle: Omit<ThrottleOptions, "store" | "runtime" | "memberId">;
  /** Its monotonic clock: what is added to the real one, and how fast it runs. */
  readonly clock: { readonly offsetMs: number; readonly rate: number };
}
