// A real process whose callers make calls, each with a slot of the fleet's semaphore, and end a call whose signal
// fires. Says "ready", "lost" for each slot that it lost, "max <n>" when it has taken in another maximum. Does what it
// is told: "go"; "long <n> <holdMs> <deaf or not>" (so many calls at once, of that length); "max <n>"; "drain" (then it
// must end by itself).
import { Agent, request } from "node:http";
import { createInterface } from "node:readline";
import { type CoordinationStore, createSemaphore, isDtError } from "@dt/core";
import type { WorkerSettings } from "./settings.ts";

const settings = JSON.parse(process.argv[2] as string) as WorkerSettings;
const { worker, calleeUrl, max, staleAfterMs, stopWithinMs, callers, holdMs } = settings;
const module = (await import(settings.module)) as Record<
  string,
  (options: object) => CoordinationStore & AsyncDisposable
>;
const store = (module[settings.factory] as NonNullable<(typeof module)[string]>)(settings.store);
const semaphore = createSemaphore({
  name: "chaos",
  max,
  store,
  staleAfter: staleAfterMs,
  stopWithin: stopWithinMs,
  syncInterval: Math.min(1_000, staleAfterMs / 10),
});
semaphore.on("lost", () => say("lost"));
const agent = new Agent({ keepAlive: true });
let stopping = false;

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Never rejects: a call that was ended by its signal, and one that the callee did not answer, are over. */
function call(signal: AbortSignal, forMs: number, deaf: string): Promise<void> {
  return new Promise((resolve) => {
    request(`${calleeUrl}/${worker}/${Math.round(forMs)}/${deaf}`, { agent, signal }, (response) => {
      response.resume();
      response.on("close", resolve);
    })
      .on("error", () => resolve())
      .end();
  });
}

async function caller(): Promise<void> {
  while (!stopping) {
    try {
      await semaphore.run((slot) => call(slot.signal, holdMs * (0.5 + Math.random()), "-"));
    } catch (error) {
      if (isDtError(error, "DT_STOPPED")) return;
      // The store is away: the start is tried again by the next caller.
      if (!isDtError(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

async function longCall(forMs: number, deaf: string): Promise<void> {
  await semaphore.run(
    (slot) => {
      return call(slot.signal, forMs, deaf);
    },
    { priority: 9 },
  );
}

async function drain(): Promise<void> {
  stopping = true;
  await semaphore.drain({ timeout: "20s" });
  await store[Symbol.asyncDispose]();
  agent.destroy();
  lines.close();
  process.stdin.destroy();
}

const lines = createInterface({ input: process.stdin });
lines.on("line", (line) => {
  const [word, first, second, third = "-"] = line.split(" ");
  if (word === "go") for (let i = 0; i < callers; i++) void caller();
  if (word === "long") for (let i = 0; i < Number(first); i++) void longCall(Number(second), third).catch(() => {});
  if (word === "max") {
    semaphore.update({ max: Number(first) });
    say(line);
  }
  if (word === "drain") void drain();
});
await semaphore.start({ timeout: "2m" });
say("ready");
