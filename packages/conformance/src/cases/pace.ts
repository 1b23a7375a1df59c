import type { CaseContext } from "../context.ts";

/** How often store time is asked for, and how long between two answers. */
export interface PaceOptions {
  readonly calls: number;
  readonly pauseMs: number;
  /** A clock that may stand still while nobody calls, which on a slow machine adds up. */
  readonly mayStandStill?: boolean;
}

/** Asks in turn and compares the passing of store time with the monotonic clock of this process. */
export async function pace(
  context: CaseContext,
  askInTurn: readonly (() => Promise<{ readonly storeTimeMs: number }>)[],
  { calls, pauseMs, mayStandStill = false }: PaceOptions,
): Promise<void> {
  const seen: { readonly sentMs: number; readonly answeredMs: number; readonly storeMs: number }[] = [];
  for (let i = 0; i < calls; i++) {
    const sentMs = context.now();
    const { storeTimeMs } = await (askInTurn[i % askInTurn.length] as (typeof askInTurn)[0])();
    seen.push({ sentMs, answeredMs: context.now(), storeMs: storeTimeMs });
    await context.sleep(context.ms(pauseMs));
  }
  const first = seen[0] as (typeof seen)[0];
  for (const later of seen.slice(1)) {
    const passedMs = later.storeMs - first.storeMs;
    const leastMs = later.sentMs - first.answeredMs;
    const mostMs = later.answeredMs - first.sentMs;
    // Two clocks of one machine may be slewed against each other, and stores answer in whole milliseconds.
    const toleranceMs = context.clockErrorMs + 20 + mostMs * 0.02;
    const inTime = mayStandStill ? passedMs > 0 || later !== seen.at(-1) : passedMs >= leastMs - toleranceMs;
    context.that(
      inTime && passedMs <= mostMs + toleranceMs,
      `store time went on by ${passedMs} ms while ${leastMs.toFixed(1)} to ${mostMs.toFixed(1)} ms passed`,
    );
  }
}
