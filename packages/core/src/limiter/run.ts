import type { AcquireOptions } from "./acquire-options.ts";

/**
 * What becomes of a call that cannot go on at once.
 * - `"wait"`: it waits; after its `timeout` it rejects with `DT_TIMEOUT`.
 * - `"throw"`: it rejects at once with `DT_LIMITED`, with `retryAfterMs` where that is known.
 * - `"skip"`: it waits for its `timeout`, 0 by default, and then resolves to undefined: the function is not called.
 */
export type WhenLimited = "wait" | "throw" | "skip";

/** Options of `run`: what the call costs, how it waits, and what happens when it is limited. */
export type RunOptions<
  Cost = number,
  Options extends object = AcquireOptions,
  When extends WhenLimited = WhenLimited,
> = Options & {
  /**
   * What the call costs.
   * @default 1
   */
  readonly cost?: Cost | undefined;
  /**
   * What becomes of the call when it is limited: `"wait"`, `"throw"` or `"skip"`.
   * @default "wait"; "throw" of a limiter that never waits
   */
  readonly whenLimited?: When | undefined;
};

/** Makes one call once it is admitted. */
export interface Run<
  Right,
  Cost = number,
  Options extends object = AcquireOptions,
  When extends WhenLimited = WhenLimited,
> {
  /**
   * Makes one call once it is admitted, and hands it the right. Settles as the call does. With `whenLimited: "skip"` it
   * resolves to undefined when the call was not made; without it, a call that is not made always rejects.
   * @param call the function to be called, with the right: a slot, a permit, a passage; of a throttle nothing
   * @param options what the call costs, how it waits, and what happens when it is limited
   * @throws DtError what `acquire` rejects with; `DT_LIMITED` with `whenLimited: "throw"`
   * @example const answer = await limiter.run(() => fetch(url), { timeout: "2s" })
   */
  <Value>(
    call: (right: Right) => Value,
    options: RunOptions<Cost, Options, When> & { readonly whenLimited: "skip" },
  ): Promise<Awaited<Value> | undefined>;
  /** Makes one call once it is admitted, and hands it the right: rejects when the call is not made. */
  <Value>(
    call: (right: Right) => Value,
    options?: RunOptions<Cost, Options, When> & { readonly whenLimited?: Exclude<When, "skip"> | undefined },
  ): Promise<Awaited<Value>>;
  /** Makes one call once it is admitted, and hands it the right; options that may skip the call. */
  <Value>(call: (right: Right) => Value, options: RunOptions<Cost, Options, When>): Promise<Awaited<Value> | undefined>;
}
