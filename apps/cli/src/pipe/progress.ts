import { clearScreenDown, cursorTo, moveCursor } from "node:readline";
import { canRedraw } from "../terminal.ts";
import { totalOf } from "./counts.ts";
import { Pace } from "./pace.ts";
import { lineOf, terminalLine, type View } from "./progress-line.ts";

const LIVE_EVERY_MS = 200;
const LINE_EVERY_MS = 2_000;
/** Of a terminal that does not say how wide it is. */
const USUAL_COLUMNS = 80;

/**
 * Shows a run until the function returned is called: on a terminal a bar that changes, otherwise a line now and then.
 */
export function showProgress(view: () => View, stream: NodeJS.WriteStream, everyMs?: number): () => void {
  const pace = new Pace();
  const live = canRedraw(stream);
  let drawn = 0;
  const columns = (): number => stream.columns || USUAL_COLUMNS;
  const toBegin = (): void => {
    // A terminal that became narrower shows the last line in several rows.
    const above = Math.floor(Math.max(0, drawn - 1) / columns());
    if (above > 0) moveCursor(stream, 0, -above);
    cursorTo(stream, 0);
  };
  const draw = (): void => {
    const now = view();
    const speed = pace.speed(performance.now(), totalOf(now.counts), now.bytes, now.totalBytes);
    if (!live) {
      stream.write(`${lineOf(now, speed)}\n`);
      return;
    }
    toBegin();
    const line = terminalLine(now, speed, columns());
    stream.write(line);
    clearScreenDown(stream);
    drawn = line.length;
  };
  const { counts, bytes, totalBytes } = view();
  pace.speed(performance.now(), totalOf(counts), bytes, totalBytes);
  const timer = setInterval(draw, everyMs ?? (live ? LIVE_EVERY_MS : LINE_EVERY_MS));
  return () => {
    clearInterval(timer);
    if (!live) return;
    toBegin();
    clearScreenDown(stream);
  };
}
