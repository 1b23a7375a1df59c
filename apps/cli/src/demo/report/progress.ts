import { styleText } from "node:util";
import { createLogUpdate } from "log-update";
import { canRedraw, shown } from "../../terminal.ts";
import { nowMs } from "../clock.ts";
import type { FleetView } from "./fleet-view.ts";
import { describeChange } from "./words.ts";

const LIVE_EVERY_MS = 100;
const LINE_EVERY_MS = 1_000;
const BAR_COLUMNS = 40;

/** What a progress display is about. */
export interface Progress {
  readonly title: string;
  readonly seconds: number;
  readonly limit: number;
  readonly fleet: FleetView;
}

/** Shows progress until the function returned is called: a live view on a terminal, otherwise plain lines. */
export function showProgress(progress: Progress, stream: NodeJS.WriteStream): () => void {
  return canRedraw(stream) ? showLive(progress, stream) : showLines(progress, stream);
}

function showLive(progress: Progress, stream: NodeJS.WriteStream): () => void {
  const update = createLogUpdate(stream);
  const draw = (): void => update(liveView(progress, stream).join("\n"));
  const timer = setInterval(draw, LIVE_EVERY_MS);
  return () => {
    clearInterval(timer);
    update.clear();
    update.done();
  };
}

function liveView({ title, seconds, limit, fleet }: Progress, stream: NodeJS.WriteStream): string[] {
  const style = (format: Parameters<typeof styleText>[0], text: string): string => styleText(format, text, { stream });
  const workers = fleet.workers.map(({ worker, state, share, agreed }) => {
    const name = `worker ${worker}`.padEnd(10);
    if (state !== "running") return style("dim", `  ${name} ${state}`);
    const bar = "█".repeat(Math.round((BAR_COLUMNS * share) / limit));
    return `  ${name} ${style(agreed ? "cyan" : "yellow", bar)} ${share}${agreed ? "" : style("yellow", " (no agreement yet)")}`;
  });
  const changes = fleet.changes.map(
    (change) => `  ${clock(change.atMs - (fleet.startMs ?? change.atMs))}  ${describeChange(change)}`,
  );
  return [
    style("bold", title),
    `  ${clock(elapsedMs(fleet))} of ${seconds} s   served ${fleet.served}   429s ${fleet.rejected}`,
    "",
    "  tokens of this epoch",
    ...workers,
    "",
    ...changes,
    ...(fleet.lastTrouble === undefined ? [] : ["", style("yellow", shown(`  ${fleet.lastTrouble}`))]),
  ];
}

function showLines({ title, fleet }: Progress, stream: NodeJS.WriteStream): () => void {
  stream.write(`${title}\n`);
  const told = new Set<string>();
  const line = (): void => {
    if (fleet.startMs === undefined) return;
    const startMs = fleet.startMs;
    for (const change of fleet.changes) {
      const words = describeChange(change);
      if (told.has(words)) continue;
      told.add(words);
      stream.write(`${clock(change.atMs - startMs)}  ${words}\n`);
    }
    const shares = fleet.workers.map(({ worker, state, share }) => `${worker}: ${state === "running" ? share : state}`);
    stream.write(
      `${clock(elapsedMs(fleet))}  served ${fleet.served}, 429s ${fleet.rejected}, shares ${shares.join("  ")}\n`,
    );
  };
  const timer = setInterval(line, LINE_EVERY_MS);
  return () => clearInterval(timer);
}

function elapsedMs({ startMs }: FleetView): number {
  return startMs === undefined ? 0 : nowMs() - startMs;
}

function clock(ms: number): string {
  return `${(ms / 1_000).toFixed(1).padStart(5)} s`;
}
