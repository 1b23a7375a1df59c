// A real process whose callers make one call after the other, through a limiter whose limit lives in the store. Says
// "ready", and with the machine's time in milliseconds "began <id> <ms>" and "ended <id> <ms>" of each call; also
// "late <ms> <by>" where a timer of its own or a permit was so late: then its calls may be, too.
import { setTimeout as sleep } from "node:timers/promises";
import { createBudget } from "@dt/budget";
import { createPacer, createSemaphore, createThrottle, isDtError, type MemoryStore } from "@dt/core";
import { createKeyed } from "@dt/keyed";
import { machineNow } from "../machine-now.ts";
import { BURST, CODE_LIMIT, HOLD_MS, KEY, type Kind, NAME, type WorkerSettings } from "./settings.ts";

/** Makes a call when it may begin. */
type Through = (call: () => Promise<void>) => Promise<unknown>;

const settings = JSON.parse(process.argv[2] as string) as WorkerSettings;
const module = (await import(settings.module)) as Record<string, (options: object) => MemoryStore>;
const store = (module[settings.factory] as NonNullable<(typeof module)[string]>)(settings.store);

const rate = `${CODE_LIMIT}/s` as const;
const common = { name: NAME, store, stored: true } as const;
const MAKERS: Readonly<Record<Kind, () => Through>> = {
  throttle: () => {
    const throttle = createThrottle({ ...common, rate });
    return (call) => throttle.run(call);
  },
  semaphore: () => {
    const semaphore = createSemaphore({ ...common, max: CODE_LIMIT });
    return (call) => semaphore.run(call);
  },
  pacer: () => {
    const pacer = createPacer({ ...common, rate });
    return (call) =>
      pacer.run(({ lateMs }) => {
        tellLate(lateMs);
        return call();
      });
  },
  budget: () => {
    const budget = createBudget({ ...common, limits: { requests: { rate } } });
    return (call) => budget.run(call, { cost: { requests: 1 } });
  },
  keyed: () => {
    const limits = createKeyed({ ...common, limit: { rate, burst: BURST } });
    return (call) => limits.for(KEY).run(call);
  },
};

const through = MAKERS[settings.kind]();
/** A timer of so long is late by more than so much: it is worth a word. */
const WATCH_MS = 10;
const TELL_LATE_MS = 20;
let calls = 0;

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function call(): Promise<void> {
  const id = ++calls;
  say(`began ${id} ${machineNow()}`);
  await sleep(HOLD_MS);
  say(`ended ${id} ${machineNow()}`);
}

async function caller(): Promise<void> {
  for (;;)
    try {
      await through(call);
    } catch (error) {
      if (isDtError(error, "DT_STOPPED")) return;
      // The store is away.
      await sleep(100);
    }
}

/** Looks how late timers are: a process that is not given a processor makes calls later than it was allowed to. */
async function watchTimers(): Promise<void> {
  for (;;) {
    const dueMs = machineNow() + WATCH_MS;
    await sleep(WATCH_MS);
    const lateMs = machineNow() - dueMs;
    tellLate(lateMs);
  }
}

function tellLate(byMs: number): void {
  if (byMs > TELL_LATE_MS) say(`late ${machineNow()} ${byMs}`);
}

process.stdin.once("data", () => {
  void watchTimers();
  for (let i = 0; i < settings.callers; i++) void caller();
});
say("ready");
