import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { ALL, type CallerContext, grantNow, isFinal, TRY_AGAIN_MS, takeAll } from "./caller-context.ts";
import type { CallerKind } from "./config.ts";
import { batches, giveBackWhileReporting, late } from "./give-back-callers.ts";

const ALWAYS_EVERY_MS = 5;
/** How long before and after a boundary the last instants are tried. */
const AROUND_MS = 8;

/** The worst that callers can do. Each takes everything there is, and some give back too late. */
export const callers: Readonly<Record<CallerKind, (context: CallerContext) => Promise<void>>> = {
  batches,
  first,
  late,
  always,
  last,
  uneven,
  light,
};

/** How often one takes a token that wants little. */
const LIGHT_EVERY_MS = 150;

/** How long it stays as it is, and how many tokens it takes at a time then. */
const PHASES = [
  { forMs: 3_000, tokens: ALL, everyMs: ALWAYS_EVERY_MS },
  { forMs: 2_000, tokens: 1, everyMs: 200 },
  { forMs: 1_500, tokens: 0, everyMs: 200 },
  { forMs: 700, tokens: ALL, everyMs: ALWAYS_EVERY_MS },
  { forMs: 2_500, tokens: 3, everyMs: 100 },
] as const;

/**
 * Waits in the queue and takes everything at the first instant there is anything. Half of it comes back while a report
 * is under way, and is taken again.
 */
async function first(context: CallerContext): Promise<void> {
  const { throttle, ended } = context;
  for (let turn = 0; !ended(); turn++) {
    try {
      const one = await throttle.acquireGrant(1);
      const grant = grantNow(throttle) ?? one;
      if (turn % 2 === 0) void giveBackWhileReporting(context, grant);
    } catch (error) {
      if (isFinal(error)) return;
      await sleep(TRY_AGAIN_MS);
    }
  }
}

/** Takes everything every few milliseconds. */
async function always({ throttle, ended }: CallerContext): Promise<void> {
  while (!ended()) {
    takeAll(throttle);
    await sleep(ALWAYS_EVERY_MS);
  }
}

/**
 * Wants now everything, now little, now nothing. Some of it comes back while a report is under way, which gives up just
 * that now and then.
 */
async function uneven(context: CallerContext): Promise<void> {
  const { throttle, ended } = context;
  for (let turn = 0; !ended(); turn++) {
    const { forMs, tokens, everyMs } = PHASES[turn % PHASES.length] as (typeof PHASES)[number];
    for (const untilMs = performance.now() + forMs; performance.now() < untilMs && !ended(); await sleep(everyMs)) {
      if (tokens === 0) continue;
      const grant = grantNow(throttle, tokens);
      if (grant) void giveBackWhileReporting(context, grant);
    }
  }
}

/** Wants a few tokens in each epoch. */
async function light({ throttle, ended }: CallerContext): Promise<void> {
  while (!ended()) {
    takeAll(throttle, 1);
    await sleep(LIGHT_EVERY_MS);
  }
}

/**
 * Takes everything at the last instants of an epoch and the first of the next one, and until the very end of a share's
 * validity.
 */
async function last({ throttle, intervalMs, storeNow, ended }: CallerContext): Promise<void> {
  while (!ended()) {
    const nowMs = storeNow();
    const boundaryMs = nowMs === undefined ? TRY_AGAIN_MS : intervalMs - (nowMs % intervalMs);
    const { validForMs } = throttle.status();
    const nextMs = validForMs > AROUND_MS ? Math.min(boundaryMs, validForMs) : boundaryMs;
    await sleep(Math.max(0, nextMs - AROUND_MS));
    const untilMs = performance.now() + 2 * AROUND_MS;
    while (performance.now() < untilMs && !ended()) {
      takeAll(throttle);
      await nextTurn();
    }
  }
}
