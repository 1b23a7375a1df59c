// A real process whose callers take permits again and again. Writes down what happens. Says "ready", and "granted" for
// each permit that it has had; does what it is told: "go", "crowd <n>" (so many callers at once, who all give up at
// once), "stop" (closes everything); then it must end by itself.
import { openSync, writeSync } from "node:fs";
import { createInterface } from "node:readline";
import type { PermitLedger } from "@dt/core";
import { machineNow } from "../machine-now.ts";
import type { Entry } from "./log.ts";
import { RecordingLedger } from "./recording-ledger.ts";
import type { WorkerSettings } from "./settings.ts";

const settings = JSON.parse(process.argv[2] as string) as WorkerSettings;
const realNow = Date.now.bind(Date);
Date.now = () => realNow() + settings.wallClockOffMs;
// Only now, so that nobody keeps the true clock.
const { createPacer, isDtError, systemRuntime } = await import("@dt/core");
const module = (await import(settings.module)) as Record<string, (options: object) => PermitLedger & AsyncDisposable>;
const store = (module[settings.factory] as NonNullable<(typeof module)[string]>)(settings.store);

const file = openSync(settings.log, "a");
let held = "";
/** Writes at once, so that it is known even of a process that is killed in the next moment. */
const write = (entry: Entry): void => {
  const text = `${held}${JSON.stringify(entry)}\n`;
  held = "";
  writeSync(file, text);
};
/** Writes soon: a thousand callers in one turn would wait for each other's lines. */
const note = (entry: Entry): void => {
  if (held === "") setImmediate(() => held !== "" && flush());
  held += `${JSON.stringify(entry)}\n`;
};
const flush = (): void => {
  writeSync(file, held);
  held = "";
};
/**
 * What the pacer's clock showed last: whatever it decides, it decides by this. Before the caller runs, a busy machine
 * may do something else, and so does this process while a thousand callers come.
 */
let readMs = 0;
const now = (): number => {
  readMs = machineNow();
  return readMs;
};
const pacer = createPacer({
  name: "faults",
  store: new RecordingLedger(store, write),
  runtime: { ...systemRuntime, now },
  ...settings.pacer,
});
/** Callers run in the order in which they are given permits. */
const decided: number[] = [];
pacer.on("grant", () => decided.push(readMs));
const { callers, pauseMs, callTimeoutMs } = settings;
let calls = 0;
let stopping = false;

async function acquire(signal?: AbortSignal): Promise<void> {
  calls += 1;
  const call = calls;
  note({ type: "entered", call, atMs: machineNow(), timeoutMs: callTimeoutMs });
  let lateMs: number | undefined;
  const outcome = await pacer.acquire(1, { timeout: callTimeoutMs, signal }).then(
    (permit) => {
      lateMs = permit.lateMs;
      return "granted";
    },
    (error: unknown) => (isDtError(error) ? error.code : String(error)),
  );
  const atMs = machineNow();
  const [decidedMs] = outcome === "granted" ? decided.splice(0, 1) : [];
  note({ type: "settled", call, atMs, outcome, decidedMs, lateMs });
  if (outcome === "granted") process.stdout.write("granted\n");
}

async function caller(): Promise<void> {
  while (!stopping) {
    await acquire();
    if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

async function crowd(size: number): Promise<void> {
  const together = new AbortController();
  const all = Array.from({ length: size }, () => acquire(together.signal));
  setTimeout(() => together.abort("gave-up"), 150);
  await Promise.all(all);
  process.stdout.write("crowd is gone\n");
}

const lines = createInterface({ input: process.stdin });
// Connects, and makes what is missing in the store.
await warmUp(10);
const running: Promise<void>[] = [];
lines.on("line", (line) => {
  const [word, number] = line.split(" ");
  if (word === "go") for (let i = 0; i < callers; i++) running.push(caller());
  if (word === "crowd") running.push(crowd(Number(number)));
  if (word === "stop") void stop();
});
process.stdout.write("ready\n");

/** On a busy machine, where many processes start at once, the first connection may take longer than a call may. */
async function warmUp(attempts: number): Promise<void> {
  try {
    await store.release("faults", { id: "warm-up", keep: 0 });
  } catch (error) {
    if (attempts === 1) throw error;
    await warmUp(attempts - 1);
  }
}

async function stop(): Promise<void> {
  stopping = true;
  await pacer.stop();
  await Promise.all(running);
  await store[Symbol.asyncDispose]();
  write({ type: "closed", wasted: pacer.wasted });
  lines.close();
  process.stdin.destroy();
}
