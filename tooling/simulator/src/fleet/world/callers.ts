import type { Grant } from "@dt/core";
import type { Random } from "../../random.ts";
import type { CallerKind, Settings } from "../plan/plan.ts";
import { acquire, acquireGrant, call, take, takeGrant } from "./asking.ts";
import { batches } from "./batch-caller.ts";
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
  /** True once churn is over: then no call is given up before it is answered. */
  calm(): boolean;
  /** Gives `k` tokens of a grant back. */
  giveBack(grant: Grant, k: number): void;
  /** A call is made that costs so many tokens. */
  asks(cost: number): void;
  /** That call began. */
  began(cost: number): void;
  /** A batch came out: what else was granted for it was given back. */
  batched(items: number): void;
  /** This caller has ended because churn is over: from now on one takes all it can. */
  takeOver(): void;
}

/** More than any share. */
const ALL = 1_000_000;

const callers: Readonly<Record<CallerKind, (context: CallerContext) => void>> = {
  greedy,
  polling,
  edges,
  "late-deposit": lateDeposit,
  mixed,
  batches,
  sparing,
  "on-off": onOff,
  light,
  collecting,
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

/** Takes a little now and then, and seldom everything: of what it is to give up, most was not used. */
function sparing(context: CallerContext): void {
  const { random, runtime, settings } = context;
  if (!take(context, random.chance(0.05) ? ALL : random.integer(1, Math.ceil(settings.max / 10)))) return;
  runtime.setTimer(() => sparing(context), random.between(0, 0.5) * settings.intervalMs);
}

/** Takes all it can for a while, and nothing for another. */
function onOff(context: CallerContext): void {
  const { random, runtime, settings } = context;
  const untilMs = runtime.now() + random.between(0.5, 6) * settings.intervalMs;
  const burst = (): void => {
    if (!take(context, ALL)) return;
    if (runtime.now() < untilMs) runtime.setTimer(burst, random.between(1, 80));
    else runtime.setTimer(() => onOff(context), random.between(0.5, 10) * settings.intervalMs);
  };
  burst();
}

/**
 * Calls that cost several tokens, up to all that the group has in an epoch: of any priority, for as long as it takes or
 * until they are given up. They are more than can be made.
 */
function collecting(context: CallerContext): void {
  const { process, random, runtime, settings } = context;
  if (context.ended()) return;
  const { max } = process.throttle.status();
  for (let i = random.integer(1, 3); i > 0; i--) {
    const cost = random.integer(1, Math.max(1, Math.floor(max / random.pick([1, 2, 4]))));
    const timeoutMs = random.pick([undefined, random.between(1, 300), random.between(1, 4) * settings.intervalMs]);
    call(context, cost, timeoutMs, random.integer(-9, 9));
  }
  runtime.setTimer(() => collecting(context), random.between(0, 1.5) * settings.intervalMs);
}

/** One token at a time, a few in an epoch, and waits for it. */
function light(context: CallerContext): void {
  const { random, runtime, settings } = context;
  acquire(context, 1, 2 * settings.intervalMs, () => {
    runtime.setTimer(() => light(context), random.between(0.05, 0.8) * settings.intervalMs);
  });
}

/**
 * Takes everything at once, gives a part back late, now and then in the next epoch or while a report that gives it up
 * is under way, and takes it again.
 */
function lateDeposit(context: CallerContext): void {
  const { process, runtime, random, settings } = context;
  const later = (): void => lateDeposit(context);
  acquireGrant(context, ALL, undefined, (grant) => {
    if (grant === undefined) {
      runtime.setTimer(later, random.between(1, 50));
      return;
    }
    let given = false;
    const giveBack = (): void => {
      if (given || context.ended()) return;
      given = true;
      const k = random.integer(0, grant.tokens + 3);
      context.giveBack(grant, k);
      if (random.chance(0.5)) take(context, ALL);
      if (random.chance(0.3)) context.giveBack(grant, random.integer(0, grant.tokens));
      if (random.chance(0.3)) takeGrant(context, ALL);
      later();
    };
    runtime.setTimer(giveBack, random.between(0, 1.1) * settings.intervalMs);
    process.atGivingUp(() => runtime.setExactTimer(giveBack, random.between(0, 2) * settings.latencyMs));
  });
}

/** Callers as they are: several at once, small and large, with timeouts, giving up, giving back. */
function mixed(context: CallerContext): void {
  const { runtime, random, settings } = context;
  if (context.ended()) return;
  for (let i = random.integer(1, 3); i > 0; i--) {
    const n = random.integer(1, Math.max(2, settings.max));
    const timeoutMs = random.pick([0, random.between(1, 300), random.between(1, 3_000)]);
    if (random.chance(0.5)) acquire(context, n, timeoutMs, () => {});
    else
      acquireGrant(context, n, timeoutMs, (grant) => {
        if (grant === undefined || !random.chance(0.5)) return;
        const k = random.integer(1, grant.tokens);
        const afterMs = random.pick([0, random.between(0, 20), random.between(0, 1.5) * settings.intervalMs]);
        runtime.setTimer(() => {
          if (!context.ended()) context.giveBack(grant, k);
        }, afterMs);
      });
  }
  take(context, random.integer(1, settings.max));
  runtime.setTimer(() => mixed(context), random.between(0, settings.intervalMs));
}
