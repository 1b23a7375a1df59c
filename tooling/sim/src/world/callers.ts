import type { Random } from "../engine/random.ts";
import type { CallerKind, Settings } from "../plan/plan.ts";
import type { SimProcess } from "./sim-process.ts";
import type { SimRuntime } from "./sim-runtime.ts";

/** What a caller works with. */
export interface CallerContext {
  readonly process: SimProcess;
  readonly runtime: SimRuntime;
  readonly random: Random;
  readonly settings: Settings;
  /** Local time at which the next epoch truly begins, by the store's own clock. */
  nextEpochMs(): number;
  /** True when this caller shall ask for nothing more. */
  ended(): boolean;
  /** Gives tokens back, and counts them. */
  deposit(n: number): void;
}

/** More than any share. */
const ALL = 1_000_000;

const callers: Readonly<Record<CallerKind, (context: CallerContext) => void>> = {
  greedy,
  polling,
  edges,
  "late-deposit": lateDeposit,
  mixed,
  idle: () => {},
};

/** Starts callers of one kind in a process that has joined. They end with it. */
export function startCallers(kind: CallerKind, context: CallerContext): void {
  callers[kind](context);
}

/** Takes everything at the first instant there is anything. */
function greedy(context: CallerContext): void {
  acquire(context, ALL, undefined, (granted) => {
    if (granted !== undefined) greedy(context);
    else context.runtime.setTimer(() => greedy(context), context.random.between(1, 50));
  });
}

/** Takes everything, again and again, without waiting. */
function polling(context: CallerContext): void {
  if (!take(context, ALL)) return;
  context.runtime.setTimer(() => polling(context), context.random.between(1, 80));
}

/** Takes everything at the last and the first instants of epochs, and just before a share lapses. */
function edges(context: CallerContext): void {
  const { process, runtime, random, settings } = context;
  if (context.ended()) return;
  const boundaryMs = context.nextEpochMs() - runtime.now();
  const skewMs = random.pick([0, 0, settings.latencyMs, settings.clockErrorMs]);
  for (const aroundMs of [-5, -1, -0.1, -0.01, 0.01, 1])
    runtime.setExactTimer(() => take(context, ALL), boundaryMs + aroundMs + random.between(-skewMs, skewMs));
  const validForMs = process.throttle.status().validForMs;
  if (validForMs > 0 && validForMs < settings.intervalMs)
    for (const beforeMs of [1, 0.1, 0.01, -0.01])
      runtime.setExactTimer(() => take(context, ALL), validForMs - beforeMs);
  runtime.setTimer(() => edges(context), boundaryMs + random.between(0.1, 0.5) * settings.intervalMs);
}

/** Takes everything at once, gives a part back late, now and then in the next epoch, and takes it again. */
function lateDeposit(context: CallerContext): void {
  const { runtime, random, settings } = context;
  acquire(context, ALL, undefined, (granted) => {
    if (granted === undefined) {
      runtime.setTimer(() => lateDeposit(context), random.between(1, 50));
      return;
    }
    runtime.setTimer(() => {
      if (context.ended()) return;
      context.deposit(random.integer(0, granted + 3));
      if (random.chance(0.5)) take(context, ALL);
      lateDeposit(context);
    }, random.between(0, 1.1) * settings.intervalMs);
  });
}

/** Callers as they are: several at once, small and large, with timeouts, giving up, giving back. */
function mixed(context: CallerContext): void {
  const { runtime, random, settings } = context;
  if (context.ended()) return;
  for (let i = random.integer(1, 3); i > 0; i--) {
    const n = random.integer(1, Math.max(2, settings.max));
    const timeoutMs = random.pick([0, random.between(1, 300), random.between(1, 3_000)]);
    acquire(context, n, timeoutMs, (granted) => {
      if (granted !== undefined && granted > 0 && random.chance(0.3) && !context.ended())
        context.deposit(random.integer(1, granted));
    });
  }
  take(context, random.integer(1, settings.max));
  runtime.setTimer(() => mixed(context), random.between(0, settings.intervalMs));
}

function take(context: CallerContext, n: number): boolean {
  if (context.ended()) return false;
  context.process.returned += context.process.throttle.tryAcquire(n);
  return true;
}

/** One `acquire`; `done` is called with what was granted, or undefined after an error, unless the throttle is finished. */
function acquire(
  context: CallerContext,
  n: number,
  timeoutMs: number | undefined,
  done: (granted: number | undefined) => void,
): void {
  if (context.ended()) return;
  const { process, random, runtime } = context;
  const abort = random.chance(0.05) ? new AbortController() : undefined;
  if (abort) runtime.setTimer(() => abort.abort(new Error("given up")), random.between(0, 2_000));
  process.pending += 1;
  process.throttle
    .acquire(n, { ...(timeoutMs !== undefined && { timeout: timeoutMs }), ...(abort && { signal: abort.signal }) })
    .then(
      (granted) => {
        process.pending -= 1;
        process.returned += granted;
        done(granted);
      },
      (error: { readonly code?: string }) => {
        process.pending -= 1;
        if (error.code !== "DT_STOPPED" && error.code !== "DT_PROCESSOR_FENCED") done(undefined);
      },
    );
}
