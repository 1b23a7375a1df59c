import { isPauseNews } from "./pause.ts";
import type { GroupRow } from "./table.ts";

/**
 * True when listeners of a group are to be told of a change: another generation, an agreement that was reached, or a
 * pause.
 */
export function isNews(before: Readonly<GroupRow> | undefined, after: Readonly<GroupRow> | undefined): boolean {
  if (!after) return false;
  if (!before || before.generation !== after.generation || isPauseNews(before, after)) return true;
  return before.adopted < before.memberCount && after.adopted === after.memberCount;
}
