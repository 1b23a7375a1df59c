import { Agent, request } from "node:http";
import { type ConcurrencyLimit, classify } from "@dt/adaptive";

/** For so long, so many calls a second; and what the callee does meanwhile. */
export interface Phase {
  readonly name: string;
  readonly seconds: number;
  readonly perSecond: number;
  /** Time of a request at a worker from this phase on, in milliseconds. */
  readonly serviceMs: number;
}

/** What callers saw of the calls that began in a phase. */
export interface PhaseCounts {
  readonly phase: string;
  /** Calls that somebody wanted to make, a second. */
  readonly wanted: number;
  /** Of those: turned away here, by the limit. */
  readonly shed: number;
  /** Answered in time, a second, counted when they were answered. */
  readonly goodput: number;
  /** Sent, and not answered in time. */
  readonly timeouts: number;
  /** Of those answered in time, in milliseconds; NaN of none. */
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** A call without an answer after so long has failed for whoever made it; the callee works on it all the same. */
const TIMEOUT_MS = 1_000;

interface Told {
  readonly sentMs: number;
  readonly endedMs: number;
  readonly inTime: boolean;
}

/** Sends calls at random instants, whether earlier ones were answered or not, through a limit or without one. */
export async function load(
  url: string,
  phases: readonly Phase[],
  limit: ConcurrencyLimit | undefined,
  begins: (phase: Phase) => void,
  random: () => number,
): Promise<PhaseCounts[]> {
  const agent = new Agent({ keepAlive: true });
  const told: Told[] = [];
  const ends: Promise<void>[] = [];
  const shed = phases.map(() => 0);
  const wanted = phases.map(() => 0);
  const begin = performance.now();
  const one = (phase: number): void => {
    wanted[phase] = (wanted[phase] ?? 0) + 1;
    const slot = limit?.tryAcquire();
    if (limit !== undefined && slot === undefined) {
      shed[phase] = (shed[phase] ?? 0) + 1;
      return;
    }
    const sentMs = performance.now() - begin;
    ends.push(
      call(url, agent).then((ended) => {
        const { outcome, report } = classify(ended);
        slot?.settle(outcome, report);
        told.push({ sentMs, endedMs: performance.now() - begin, inTime: outcome === "success" });
      }),
    );
  };
  let dueMs = 0;
  let untilMs = 0;
  for (const [index, phase] of phases.entries()) {
    begins(phase);
    untilMs += 1_000 * phase.seconds;
    for (; dueMs < untilMs; dueMs += gapMs(phase.perSecond, random)) {
      const waitMs = dueMs - (performance.now() - begin);
      if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
      one(index);
    }
  }
  await Promise.all(ends);
  agent.destroy();
  let fromMs = 0;
  return phases.map(({ name, seconds }, index) => {
    const toMs = fromMs + 1_000 * seconds;
    const counts = countsOf(told, fromMs, toMs);
    fromMs = toMs;
    return { phase: name, wanted: (wanted[index] ?? 0) / seconds, shed: shed[index] ?? 0, ...counts };
  });
}

/** Between independent callers: exponential, in milliseconds. */
function gapMs(perSecond: number, random: () => number): number {
  return (-Math.log(1 - random()) * 1_000) / perSecond;
}

function countsOf(told: readonly Told[], fromMs: number, toMs: number): Omit<PhaseCounts, "phase" | "wanted" | "shed"> {
  const sent = told.filter(({ sentMs }) => sentMs >= fromMs && sentMs < toMs);
  const latencies = sent
    .filter(({ inTime }) => inTime)
    .map(({ sentMs, endedMs }) => endedMs - sentMs)
    .sort((a, b) => a - b);
  const answered = told.filter(({ inTime, endedMs }) => inTime && endedMs >= fromMs && endedMs < toMs).length;
  return {
    goodput: (1_000 * answered) / (toMs - fromMs),
    timeouts: sent.filter(({ inTime }) => !inTime).length,
    p50Ms: latencies[Math.floor(latencies.length / 2)] ?? Number.NaN,
    p99Ms: latencies[Math.floor(0.99 * latencies.length)] ?? Number.NaN,
  };
}

/** How a call ended, as a classifier takes it. */
function call(url: string, agent: Agent): Promise<{ value: unknown } | { error: unknown }> {
  return new Promise((resolve) => {
    const sent = request(url, { agent, signal: AbortSignal.timeout(TIMEOUT_MS) });
    sent.on("response", (answer) => {
      answer.resume();
      answer.on("end", () => resolve({ value: { status: answer.statusCode, headers: answer.headers } }));
      answer.on("error", (error) => resolve({ error }));
    });
    sent.on("error", (error) => resolve({ error }));
    sent.end();
  });
}
