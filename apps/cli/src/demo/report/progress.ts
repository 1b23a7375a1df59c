import { styleText } from "node:util";
import { createLogUpdate } from "log-update";
import { canRedraw, shown } from "../../terminal.ts";
import { type Convergence, ConvergenceTracker } from "../measure/convergence.ts";
import type { Arrival, Change, RunObserver, WorkerEntry } from "../record.ts";
import { nowMs } from "../timings.ts";

const LIVE_EVERY_MS = 100;
const LINE_EVERY_MS = 1_000;
const BAR_COLUMNS = 40;

interface WorkerView {
  readonly state: "running" | "killed" | "left";
  /** Its share of the current epoch, in tokens. */
  readonly share: number;
  readonly agreed: boolean;
}

/** What is known of a run while it goes on, and how it is shown. */
export class Progress implements RunObserver {
  readonly #title: string;
  readonly #seconds: number;
  readonly #limit: number;
  readonly #tracker: ConvergenceTracker;
  readonly #workers = new Map<number, WorkerView>();
  #startMs: number | undefined;
  #served = 0;
  #rejected = 0;
  #lastTrouble = "";

  constructor(title: string, workers: number, seconds: number, limit: number) {
    this.#title = title;
    this.#seconds = seconds;
    this.#limit = limit;
    this.#tracker = new ConvergenceTracker(limit);
    for (let worker = 1; worker <= workers; worker++) this.#put(worker, {});
  }

  onStart(startMs: number): void {
    this.#startMs = startMs;
    this.#tracker.start(startMs, this.#workers.size);
  }

  onEntry({ worker, entry }: WorkerEntry): void {
    this.#tracker.entry({ worker, entry });
    if (entry.type === "share") this.#put(worker, { share: entry.tokens, agreed: entry.agreed });
    if (entry.type === "left") this.#put(worker, { state: "left", share: 0 });
    if (entry.type === "trouble") this.#lastTrouble = `worker ${worker}, ${entry.what}: ${entry.message}`;
  }

  onChange(change: Change): void {
    this.#tracker.change(change);
    if (change.kind === "join") this.#put(change.worker, {});
    else this.#put(change.worker, { state: change.kind === "kill" ? "killed" : "left", share: 0 });
  }

  onArrivals(arrivals: readonly Arrival[]): void {
    for (const { served } of arrivals) {
      if (served) this.#served += 1;
      else this.#rejected += 1;
    }
  }

  /** Shows it until the function returned is called: a live view on a terminal, otherwise plain lines. */
  show(stream: NodeJS.WriteStream): () => void {
    if (!canRedraw(stream)) return this.#showLines(stream);
    const update = createLogUpdate(stream);
    const timer = setInterval(() => update(this.#view(stream).join("\n")), LIVE_EVERY_MS);
    return () => {
      clearInterval(timer);
      update.clear();
      update.done();
    };
  }

  #view(stream: NodeJS.WriteStream): string[] {
    const style = (format: Parameters<typeof styleText>[0], text: string): string =>
      styleText(format, text, { stream });
    const workers = [...this.#workers].map(([worker, { state, share, agreed }]) => {
      const name = `worker ${worker}`.padEnd(10);
      if (state !== "running") return style("dim", `  ${name} ${state}`);
      const bar = "█".repeat(Math.round((BAR_COLUMNS * share) / this.#limit));
      const doubt = agreed ? "" : style("yellow", " (no agreement yet)");
      return `  ${name} ${style(agreed ? "cyan" : "yellow", bar)} ${share}${doubt}`;
    });
    const { all } = this.#tracker;
    return [
      style("bold", this.#title),
      `  ${this.#clock(nowMs())} of ${this.#seconds} s   served ${this.#served}   429s ${this.#rejected}`,
      ...["", "  tokens of this epoch", ...workers, ""],
      ...all.map((change) => `  ${this.#clock(change.atMs)}  ${describe(change)}`),
      ...(this.#lastTrouble === "" ? [] : ["", style("yellow", shown(`  ${this.#lastTrouble}`))]),
    ];
  }

  #showLines(stream: NodeJS.WriteStream): () => void {
    stream.write(`${this.#title}\n`);
    const told = new Set<string>();
    const timer = setInterval(() => {
      if (this.#startMs === undefined) return;
      for (const change of this.#tracker.all) {
        const words = describe(change);
        if (!told.has(words)) stream.write(`${this.#clock(change.atMs)}  ${words}\n`);
        told.add(words);
      }
      const shares = [...this.#workers].map(([worker, { state, share }]) =>
        state === "running" ? `${worker}: ${share}` : `${worker}: ${state}`,
      );
      const counts = `served ${this.#served}, 429s ${this.#rejected}, shares ${shares.join("  ")}`;
      stream.write(`${this.#clock(nowMs())}  ${counts}\n`);
    }, LINE_EVERY_MS);
    return () => clearInterval(timer);
  }

  /** A time as seconds since the start. */
  #clock(atMs: number): string {
    return `${((atMs - (this.#startMs ?? atMs)) / 1_000).toFixed(1).padStart(5)} s`;
  }

  #put(worker: number, news: Partial<WorkerView>): void {
    this.#workers.set(worker, { state: "running", share: 0, agreed: false, ...this.#workers.get(worker), ...news });
  }
}

/** A change and what came of it, in words. */
function describe({ kind, worker, tookMs }: Convergence): string {
  const what = {
    start: "the workers start",
    join: `worker ${worker} joins`,
    kill: `worker ${worker} is killed (SIGKILL)`,
    leave: `worker ${worker} leaves`,
  }[kind];
  return tookMs === undefined ? what : `${what}: shares right after ${Math.round(tookMs)} ms`;
}
