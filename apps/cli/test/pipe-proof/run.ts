import { closeSync, openSync, readFileSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { CalleeStats } from "../../src/callee/books.ts";
import { type Judged, judge, type PartOutputs } from "./judge.ts";
import type { ProofSettings } from "./settings.ts";

/** A process of `dt`. */
export interface DtProcess {
  readonly pid: number;
  readonly stdout: string;
  readonly finished: Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>;
  kill(signal: NodeJS.Signals): void;
}

/** Memory of the parts at one instant. */
export interface MemorySample {
  readonly seconds: number;
  /** In MiB, by part; undefined while it does not run. */
  readonly rss: readonly (number | undefined)[];
  /** Records in the outputs, as the callee and the files make one think: accepted calls. */
  readonly accepted: number;
}

/** What came out. */
export interface ProofResult {
  readonly settings: ProofSettings;
  readonly judged: Omit<Judged, "succeeded"> & { readonly succeeded: number };
  /** The callee's own books. */
  readonly callee: Omit<CalleeStats, "seconds">;
  /** The most calls that reached the callee in one of its seconds. */
  readonly busiestSecond: number;
  /** Which part was killed, and how many lines of its own it had written then. */
  readonly killed: { readonly part: number; readonly atSeconds: number };
  readonly exitCodes: readonly (number | null)[];
  readonly seconds: number;
  readonly memory: readonly MemorySample[];
}

const SAMPLE_MS = 250;

/**
 * Sends the records of one file through several processes of `dt pipe` that share a limit, kills one of them, begins it
 * again, and judges by the files and by the callee's books.
 * @param start runs `dt` with these arguments
 */
export async function prove(
  settings: ProofSettings,
  folder: string,
  store: string,
  start: (args: readonly string[]) => DtProcess,
): Promise<ProofResult> {
  const { records, parts, max, phases, takes, timeout, concurrency, killAfter } = settings;
  const input = join(folder, "in.jsonl");
  writeRecords(input, records);
  const callee = start([
    "callee",
    "--takes",
    takes,
    "--phases",
    phases,
    "--capacity",
    "1000",
    "--ids",
    "idempotency-key",
    "--json",
  ]);
  const url = await firstLine(callee);
  const startPart = (part: number): DtProcess =>
    start([
      ...["pipe", "--input", input, "--url", url, "--store", store, "--rate", max, "--part", `${part + 1}/${parts}`],
      ...[
        "--success",
        join(folder, "ok.jsonl"),
        "--throttled",
        join(folder, "later.jsonl"),
        "--errors",
        join(folder, "err.jsonl"),
      ],
      ...["--header", "Idempotency-Key: {{id}}", "--timeout", timeout, "--concurrency", String(concurrency), "--json"],
    ]);
  const startMs = performance.now();
  const seconds = (): number => (performance.now() - startMs) / 1_000;
  const running: (DtProcess | undefined)[] = Array.from({ length: parts }, (_, part) => startPart(part));
  const memory: MemorySample[] = [];
  const watch = new AbortController();
  const watching = (async () => {
    while (!watch.signal.aborted) {
      const { accepted } = await statsOf(url);
      memory.push({
        seconds: seconds(),
        rss: running.map((one) => (one === undefined ? undefined : rssOf(one.pid))),
        accepted,
      });
      await sleep(SAMPLE_MS);
    }
  })();
  const outputs = Array.from({ length: parts }, (_, part) => outputsOf(folder, part, parts));
  try {
    const victim = 1;
    while (writtenBytes(outputs[victim]) < (killAfter * statSync(input).size) / parts) await sleep(20);
    const atSeconds = seconds();
    running[victim]?.kill("SIGKILL");
    await running[victim]?.finished;
    running[victim] = undefined;
    await sleep(SAMPLE_MS * 2);
    running[victim] = startPart(victim);
    const ended = await Promise.all(running.map((one) => one?.finished));
    const bad = ended.find((one) => one?.code !== 0 && one?.code !== 3);
    if (bad) throw new Error(`a part ended with exit code ${bad.code}: ${bad.stderr}${bad.stdout}`);
    const all = seconds();
    watch.abort();
    await watching;
    const { seconds: bySecond, ...books } = await statsOf(url);
    const judged = await judge(records, outputs, recordOf);
    return {
      settings,
      judged: { ...judged, succeeded: judged.succeeded.size },
      callee: books,
      busiestSecond: Math.max(...bySecond.map(({ received }) => received)),
      killed: { part: victim + 1, atSeconds },
      exitCodes: ended.map((one) => one?.code ?? null),
      seconds: all,
      memory,
    };
  } finally {
    watch.abort();
    await watching.catch(() => undefined);
    for (const one of running) one?.kill("SIGKILL");
    callee.kill("SIGKILL");
  }
}

/** What a process may do once more after a crash: what had ended since the last checkpoint, and what was under way. */
export function mayRepeat({ concurrency }: ProofSettings): number {
  return 1_000 + concurrency;
}

/** What is wrong with a result, a sentence each. */
export function faultsOf({ settings, judged, callee, busiestSecond, killed }: ProofResult): string[] {
  const faults: string[] = [];
  const { lost, wrong, repeated, repeatedOfPart, succeeded } = judged;
  if (lost > 0) faults.push(`${lost} records are in no output`);
  if (wrong > 0) faults.push(`${wrong} lines are not what was read`);
  for (const [part, count] of repeatedOfPart.entries())
    if (count > (part + 1 === killed.part ? mayRepeat(settings) : 0))
      faults.push(`part ${part + 1} wrote ${count} records twice`);
  // A call that timed out or was cut off may have been accepted; one with a line of success was.
  if (callee.distinct < succeeded)
    faults.push(`${succeeded} records have a success, the callee accepted ${callee.distinct}`);
  if (callee.repeated > mayRepeat(settings))
    faults.push(`the callee accepted ${callee.repeated} records again, with ${repeated} repeated lines`);
  const most = Number.parseInt(settings.max, 10);
  // Its seconds are not our epochs: a second of its clock touches two of them, each spaced evenly.
  if (busiestSecond > 1.1 * most) faults.push(`${busiestSecond} calls came in one second, ${most} are allowed`);
  return faults;
}

/** The n-th record of the input. */
export function recordOf(id: number): { readonly id: number; readonly text: string } {
  return { id, text: `record ${id} ${"x".repeat(id % 50)}` };
}

function writeRecords(path: string, records: number): void {
  const file = openSync(path, "w");
  for (let id = 0; id < records; id += 1_000) {
    const count = Math.min(1_000, records - id);
    writeSync(file, Array.from({ length: count }, (_, n) => `${JSON.stringify(recordOf(id + n))}\n`).join(""));
  }
  closeSync(file);
}

function outputsOf(folder: string, part: number, parts: number): PartOutputs {
  const file = (name: string): string => join(folder, `${name}.${part + 1}-of-${parts}.jsonl`);
  return { success: file("ok"), throttled: file("later"), errors: file("err") };
}

/** Outputs repeat their inputs, and have a little more. */
function writtenBytes(outputs: PartOutputs | undefined): number {
  return (
    Object.values(outputs ?? {}).reduce(
      (sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0),
      0,
    ) / 1.5
  );
}

async function firstLine(process: DtProcess): Promise<string> {
  for (;;) {
    const [line, rest] = process.stdout.split("\n", 2);
    if (line && rest !== undefined) return (JSON.parse(line) as { url: string }).url;
    const ended = await Promise.race([process.finished, sleep(20)]);
    if (ended) throw new Error(`the callee did not start: ${ended.stderr}`);
  }
}

async function statsOf(url: string): Promise<CalleeStats> {
  return (await (await fetch(`${url}stats`)).json()) as CalleeStats;
}

/** In MiB. */
function rssOf(pid: number): number | undefined {
  try {
    const [, kib] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return kib === undefined ? undefined : Number(kib) / 1_024;
  } catch {
    return undefined;
  }
}
