import type { FleetReport } from "../fleet/report.ts";
import { failedFrame, frameOf, keptFrame } from "./frame.ts";
import { keyOf, marksBetween } from "./marks.ts";
import { type Frame, KEPT_FRAMES, type Mark } from "./protocol.ts";
import { ShownMembers } from "./shown-members.ts";

/** The most that the kept frames may take, in characters of their JSON. */
export const KEPT_CHARACTERS = 4_000_000;

/** The most marks that are kept. */
export const KEPT_MARKS = 500;

/** What pages are sent of a fleet, and what is kept for those that open later. Takes no time and asks nothing. */
export class History {
  /** As JSON: that is how they are sent, and so it is known what they take. */
  #kept: string[] = [];
  #characters = 0;
  #marks: readonly Mark[] = [];
  #shown: Map<string, ShownMembers> = new Map();
  #report: FleetReport | undefined;
  #last: Frame | undefined;

  /** The last report; undefined before the first one. */
  get report(): FleetReport | undefined {
    return this.#report;
  }

  /** Takes a report in. */
  add(report: FleetReport): Frame {
    const marks = marksBetween(this.#report, report);
    this.#report = report;
    this.#marks = [...this.#marks, ...marks].slice(-KEPT_MARKS);
    const former = this.#shown;
    this.#shown = new Map();
    const frame = frameOf(report, marks, (limiter, members, most) => {
      const key = keyOf(limiter);
      const shown = former.get(key) ?? new ShownMembers();
      this.#shown.set(key, shown);
      return shown.add(members, most);
    });
    return this.#keep(frame);
  }

  /**
   * Takes in that the store could not be read.
   * @returns undefined before the first report
   */
  fail(atMs: number, error: string): Frame | undefined {
    return this.#last && this.#keep(failedFrame(this.#last, atMs, error));
  }

  /** The frames that are kept and the marks, as JSON: a part of a {@link Hello}. */
  json(): string {
    const frames = [...this.#kept, ...(this.#last ? [JSON.stringify({ ...this.#last, marks: [] })] : [])];
    return `"frames":[${frames.join(",")}],"marks":${JSON.stringify(this.#marks)}`;
  }

  #keep(frame: Frame): Frame {
    if (this.#last) {
      const json = JSON.stringify(keptFrame(this.#last));
      this.#kept.push(json);
      this.#characters += json.length;
    }
    while (this.#kept.length >= KEPT_FRAMES || this.#characters > KEPT_CHARACTERS)
      this.#characters -= this.#kept.shift()?.length ?? 0;
    this.#last = frame;
    return frame;
  }
}
