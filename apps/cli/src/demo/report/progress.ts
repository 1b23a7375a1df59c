import { styleText } from "node:util";
import { createLogUpdate } from "log-update";
import { canRedraw, shown } from "../../terminal.ts";
import type { Convergence } from "../measure/convergence.ts";
import { nowMs } from "../timings.ts";
import type { FleetView, WorkerView } from "./fleet-view.ts";
import { happened, recovered } from "./words.ts";

const LIVE_EVERY_MS = 100;
const LINE_EVERY_MS = 3_000;
const LOOK_EVERY_MS = 100;
const NAME_COLUMNS = 26;
const FLEET_COLUMNS = 28;
const BAR_COLUMNS = 20;

/** How the two fleets of a run are shown while it goes on. */
export class Progress {
  readonly #introduction: readonly string[];
  readonly #seconds: number;
  readonly #limit: number;
  readonly #shared: FleetView;
  readonly #parts: FleetView;

  /** @param limit the calls a second that a full bar stands for */
  constructor(introduction: readonly string[], seconds: number, limit: number, shared: FleetView, parts: FleetView) {
    this.#introduction = introduction;
    this.#seconds = seconds;
    this.#limit = limit;
    this.#shared = shared;
    this.#parts = parts;
  }

  /** Shows it until the function returned is called: a live view on a terminal, otherwise plain lines. */
  show(stream: NodeJS.WriteStream): () => void {
    stream.write(shown(`${this.#introduction.join("\n")}\n\n`));
    if (!canRedraw(stream)) return this.#showLines(stream);
    const update = createLogUpdate(stream);
    const timer = setInterval(() => update(this.#view(stream).join("\n")), LIVE_EVERY_MS);
    return () => {
      clearInterval(timer);
      update.clear();
      update.done();
      for (const line of this.#story()) stream.write(`${line}\n`);
    };
  }

  #view(stream: NodeJS.WriteStream): string[] {
    const style = (format: Parameters<typeof styleText>[0], text: string): string =>
      styleText(format, text, { stream });
    const row = (name: string, show: (fleet: FleetView) => string | number): string =>
      `  ${name.padEnd(NAME_COLUMNS)}${String(show(this.#shared)).padEnd(FLEET_COLUMNS)}${show(this.#parts)}`;
    const started = this.#shared.startMs !== undefined;
    const trouble = this.#shared.lastTrouble || this.#parts.lastTrouble;
    return [
      style("bold", row(started ? `${this.#clock(nowMs())} of ${this.#seconds} s` : "starting ...", this.#nameOf)),
      row("calls in the last second", (fleet) => fleet.callsInLastSecond),
      row("refused so far", (fleet) => fleet.refused),
      "",
      ...[...this.#shared.workers.keys()].map((worker) =>
        row(`process ${worker} may call`, (fleet) => this.#bar(fleet.workers.get(worker))),
      ),
      "",
      ...this.#story(),
      ...(trouble === "" ? [] : ["", style("yellow", shown(`  ${trouble}`))]),
    ];
  }

  readonly #nameOf = (fleet: FleetView): string => (fleet === this.#shared ? "shared limit" : "fixed parts");

  #bar(worker: WorkerView | undefined): string {
    if (worker === undefined) return "";
    if (worker.state !== "running") return worker.state;
    const filled = Math.round((BAR_COLUMNS * worker.share) / this.#limit);
    return `${"█".repeat(Math.min(BAR_COLUMNS, filled))} ${worker.share}`;
  }

  /** What has happened so far, and when all of the limit was shared out again. */
  #story(): string[] {
    return this.#shared.changes.flatMap((change) => this.#lines(change));
  }

  #lines(change: Convergence): string[] {
    const [headline = "", ...explanation] = happened(change);
    const more = change.tookMs === undefined ? [] : [recovered(change.tookMs, this.#limit)];
    return [
      `${this.#clock(change.atMs)}  ${headline}`,
      ...[...explanation, ...more].map((line) => `${" ".repeat(9)}${line}`),
    ];
  }

  #showLines(stream: NodeJS.WriteStream): () => void {
    const written = new Set<string>();
    const write = (key: string, line: string): void => {
      if (!written.has(key)) stream.write(`${line}\n`);
      written.add(key);
    };
    const look = (): void => {
      const { startMs, changes } = this.#shared;
      if (startMs === undefined) return;
      for (const [index, change] of changes.entries())
        for (const [number, line] of this.#lines(change).entries()) write(`change ${index} ${number}`, line);
      const lines = Math.floor((nowMs() - startMs) / LINE_EVERY_MS);
      if (lines > 0) write(`count ${lines}`, `${this.#clock(startMs + lines * LINE_EVERY_MS)}  ${this.#counts()}`);
    };
    const timer = setInterval(look, LOOK_EVERY_MS);
    return () => {
      clearInterval(timer);
      look();
    };
  }

  #counts(): string {
    const [shared, parts] = [this.#shared, this.#parts];
    const calls = `${shared.callsInLastSecond} shared, ${parts.callsInLastSecond} fixed`;
    return `calls in the last second: ${calls}; refused so far: ${shared.refused} and ${parts.refused}`;
  }

  /** A time as seconds since the start. */
  #clock(atMs: number): string {
    return `${((atMs - (this.#shared.startMs ?? atMs)) / 1_000).toFixed(1).padStart(5)} s`;
  }
}
