import type { Mark } from "../protocol.ts";

/** A sign for each kind of event, as the chart and the list have it. */
export const SIGNS: Readonly<Record<Mark["what"], string>> = {
  join: "▲",
  leave: "▽",
  crash: "✕",
  silent: "…",
  limit: "◆",
  pause: "‖",
  damage: "!",
};

/** Those that are bad news. */
export const ALARMING: ReadonlySet<Mark["what"]> = new Set(["crash", "silent", "damage"]);

/** Marks that lie on the same place of a chart, as one line. */
export interface PlacedMarks {
  /** Seconds since 1970, of the first of them. */
  readonly time: number;
  readonly what: Mark["what"];
  readonly marks: readonly Mark[];
}

/** Puts together what would be drawn over each other. @param apart the least distance of two lines, in seconds */
export function placed(marks: readonly Mark[], apart: number): readonly PlacedMarks[] {
  const groups: { time: number; what: Mark["what"]; marks: Mark[] }[] = [];
  const last = new Map<Mark["what"], (typeof groups)[number]>();
  for (const mark of marks.toSorted((one, other) => one.atMs - other.atMs)) {
    const time = mark.atMs / 1_000;
    const group = last.get(mark.what);
    if (group !== undefined && time - group.time < apart) {
      group.marks.push(mark);
      continue;
    }
    const next = { time, what: mark.what, marks: [mark] };
    groups.push(next);
    last.set(mark.what, next);
  }
  return groups;
}

/** The events at a place of a chart, in a few sentences. */
export function textsOf(marks: readonly Mark[], most: number): string[] {
  const texts = marks.slice(0, most).map(({ what, text }) => `${SIGNS[what]} ${text}`);
  return marks.length > most ? [...texts, `and ${marks.length - most} more`] : texts;
}
