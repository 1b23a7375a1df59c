import { type DtErrorCode, isDtError, type Slot } from "@dt/core";
import type { Random } from "../../random.ts";
import { type Profile, type Settings, TIMES } from "./plan.ts";
import type { Caller, CallInFlight, SlotProcess } from "./slot-process.ts";

/** What the callers of a process need of their world. */
export interface CallerContext {
  readonly process: SlotProcess;
  readonly random: Random;
  readonly settings: Settings;
  readonly profile: Profile;
  readonly nowMs: () => number;
  readonly began: (process: SlotProcess) => void;
  readonly report: (rule: string, detail: string) => void;
}

/** A call that obeys has ended so much before `stopWithin` is over: timers are late. */
const MARGIN_MS = 20;
/** After an error a caller tries again after so long. */
const AGAIN_MS = 100;

/** What may happen to a caller here. */
const EXPECTED: readonly DtErrorCode[] = [
  "DT_TIMEOUT",
  "DT_STOPPED",
  "DT_INVALID_COST",
  "DT_MEMBER_FENCED",
  "DT_STORE_TIMEOUT",
  "DT_STORE_UNAVAILABLE",
];
const OVER: readonly DtErrorCode[] = ["DT_STOPPED", "DT_MEMBER_FENCED"];

/** The callers of one process, each with one call at a time, until the semaphore ends. */
export function startCallers(context: CallerContext): void {
  const { process, random, settings } = context;
  for (let caller = 0; caller < settings.callers; caller++)
    process.runtime.setTimer(() => void loop(context), random.between(0, 2_000));
}

async function loop(context: CallerContext): Promise<void> {
  const { process, random, settings } = context;
  for (;;) {
    const cost = random.chance(0.3) ? random.integer(1, Math.min(settings.dearest, process.max)) : 1;
    const pauseMs = random.chance(0.5) ? 0 : -settings.holdMs * Math.log(1 - random.next());
    process.wanted += cost;
    const priority = random.chance(0.2) ? random.integer(-1, 1) : 0;
    const waiting = { cost, priority, sinceMs: context.nowMs() };
    process.waiting.add(waiting);
    const end = await one(context, waiting).finally(() => {
      process.waiting.delete(waiting);
      process.wanted -= cost;
    });
    if (end === "over") return;
    await sleep(process, end === "called" ? pauseMs : Math.max(AGAIN_MS, pauseMs));
  }
}

/** One call, if it gets its slots. */
async function one(context: CallerContext, caller: Caller): Promise<"called" | "not" | "over"> {
  try {
    const slot = await ask(context, caller);
    context.process.waiting.delete(caller);
    if (!slot) return "not";
    await call(context, slot);
    return "called";
  } catch (error) {
    if (error === GAVE_UP) return "not";
    const code = EXPECTED.find((expected) => isDtError(error, expected));
    if (code === undefined)
      context.report("error", `${context.process.label}: ${String((error as Error).stack ?? error)}`);
    return code === undefined || OVER.includes(code) ? "over" : "not";
  }
}

const GAVE_UP = new Error("gave up");

/** Most wait; some try once, some wait for a while, some give up. */
function ask({ process, random }: CallerContext, { cost, priority }: Caller): Promise<Slot | undefined> {
  const { semaphore, runtime } = process;
  if (random.chance(0.05)) return Promise.resolve(semaphore.tryAcquire(cost));
  if (random.chance(0.05)) return semaphore.acquire(cost, { priority, timeout: random.between(1, 5_000) });
  if (!random.chance(0.05)) return semaphore.acquire(cost, { priority });
  const giveUp = new AbortController();
  const timer = runtime.setTimer(() => giveUp.abort(GAVE_UP), random.between(1, 5_000));
  return semaphore.acquire(cost, { priority, signal: giveUp.signal }).finally(() => timer.cancel());
}

/** One call: from the slot to its release. */
async function call(
  { process, random, settings, profile, nowMs, began, report }: CallerContext,
  slot: Slot,
): Promise<void> {
  const forMs = settings.holdMs * random.between(0.3, 2) * (random.chance(0.02) ? 10 : 1);
  const inFlight: CallInFlight = { slot, cost: slot.cost, untilMs: nowMs() + forMs, lost: false };
  process.calls.add(inFlight);
  began(process);
  await new Promise<void>((resolve) => {
    process.runtime.setTimer(resolve, forMs);
    if (profile === "ignored") return;
    const obey = (): void => void process.runtime.setTimer(resolve, random.between(0, TIMES.stopWithin - MARGIN_MS));
    if (slot.signal.aborted) obey();
    else slot.signal.addEventListener("abort", obey, { once: true });
  });
  if (slot.signal.aborted && !slot.lost) report("lost", `${process.label}: the signal has fired, and lost is false`);
  process.calls.delete(inFlight);
  slot.release();
  if (random.chance(0.05)) slot.release();
}

function sleep({ runtime }: SlotProcess, ms: number): Promise<void> {
  return new Promise((resolve) => runtime.setTimer(resolve, ms));
}
