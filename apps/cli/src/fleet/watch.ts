import { setTimeout as sleep } from "node:timers/promises";
import { isDtError } from "@dt/core";
import { createLogUpdate } from "log-update";
import { canRedraw, print, shown, warn } from "../terminal.ts";
import { timeText } from "./amounts.ts";
import type { FleetReport } from "./report.ts";

/** Of a terminal that does not say how large it is. */
const USUAL = { columns: 80, rows: 24 };

/** How a report is made and shown. */
export interface Watched {
  /** Makes a report. */
  read(): Promise<FleetReport>;
  /** The report as text. */
  textOf(report: FleetReport): string;
  /** True: each text is shown as it is, a line below the other. */
  readonly isLines: boolean;
}

/**
 * Shows a report after the other until the signal aborts: on a terminal over the one before, otherwise below it. A
 * store that goes away does not end it.
 * @param everyMs from the beginning of one report to the beginning of the next one
 * @param stream the standard output
 * @throws DtError where the first report cannot be made; the signal's reason
 */
export async function watch(
  watched: Watched,
  everyMs: number,
  signal: AbortSignal,
  stream: NodeJS.WriteStream = process.stdout,
): Promise<never> {
  const view = watched.isLines || !canRedraw(stream) ? new LineView() : new TerminalView(stream);
  const read = (): Promise<FleetReport> =>
    watched.read().catch((error: unknown) => {
      // What is read at the interruption may fail in any way: the interruption is the reason.
      signal.throwIfAborted();
      throw error;
    });
  try {
    let startMs = performance.now();
    let last = await read();
    view.show(watched.textOf(last));
    for (;;) {
      await sleep(Math.max(0, startMs + everyMs - performance.now()), undefined, { signal }).catch(() => {});
      signal.throwIfAborted();
      startMs = performance.now();
      try {
        last = await read();
        view.show(watched.textOf(last));
      } catch (error) {
        if (signal.aborted || !isDtError(error)) throw error;
        view.fail(`the store cannot be read: ${error.message}`, watched.textOf(last), Date.now() - last.atMs);
      }
    }
  } finally {
    view.end();
  }
}

/** Writes each report below the one before. */
class LineView {
  #isFirst = true;

  show(text: string): void {
    // A line of JSON needs no distance.
    print(this.#isFirst || text.trimEnd().indexOf("\n") < 0 ? text : `\n${text}`);
    this.#isFirst = false;
  }

  fail(message: string): void {
    warn(`${message}\n`);
  }

  end(): void {}
}

/** Writes each report over the one before. What does not fit is left out. */
class TerminalView {
  readonly #stream: NodeJS.WriteStream;
  readonly #update: ReturnType<typeof createLogUpdate>;

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
    this.#update = createLogUpdate(stream);
  }

  show(text: string): void {
    this.#update(this.#fitting(text));
  }

  fail(message: string, text: string, ageMs: number): void {
    this.show(`${message}\nThe report of ${timeText(ageMs)} ago:\n${text}`);
  }

  end(): void {
    this.#update.done();
  }

  #fitting(text: string): string {
    const { columns = USUAL.columns, rows = USUAL.rows } = this.#stream;
    const lines = shown(text).trimEnd().split("\n");
    const room = Math.max(1, rows - 2);
    const fitting = lines.slice(0, room).map((line) =>
      Array.from(line)
        .slice(0, columns - 1)
        .join(""),
    );
    return lines.length > room ? [...fitting, `... ${lines.length - room} more lines`].join("\n") : fitting.join("\n");
  }
}
