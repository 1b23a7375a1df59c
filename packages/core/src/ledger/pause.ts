import { LONGEST_PAUSE_MS } from "../internal/pause.ts";
import type { GroupRow } from "./table.ts";

/** A pause that grows by no more is no news: many members that were refused at one moment ask for the same one. */
const LITTLE_MS = 100;

/** When the pause of a group ends, in group time. */
type PauseEnd = Readonly<Pick<GroupRow, "pausedUntilMs">>;

/** Takes in that no member is to begin a call for so long (R35): a pause only ever grows. Changes `row`. */
export function pause(row: GroupRow, pauseMs = 0): void {
  if (pauseMs > 0) row.pausedUntilMs = Math.max(row.pausedUntilMs, row.lastMs + Math.min(pauseMs, LONGEST_PAUSE_MS));
}

/** What is left of the pause of a group (R35); 0 where there is none. */
export function pausedForMs({ pausedUntilMs, lastMs }: Pick<GroupRow, "pausedUntilMs" | "lastMs">): number {
  return Math.max(0, pausedUntilMs - lastMs);
}

/** True when a pause was set, or lengthened by more than a little. */
export function isPauseNews(before: PauseEnd | undefined, after: PauseEnd | undefined): boolean {
  return after !== undefined && after.pausedUntilMs > (before?.pausedUntilMs ?? 0) + LITTLE_MS;
}
