import { DtError, type RepairReport } from "@dt/core";
import { beginAgain, type Found, findGroup, type MendContext, replaceHead } from "./repair-items.ts";

/** How often a group is mended before it is given up: each time, somebody else has been at it. */
const ATTEMPTS = 5;

/**
 * Mends a group in which something was found wrong: a damaged head is written anew; where the ledger is damaged,
 * missing, or not the head's, the group begins again.
 * @throws DtError `DT_STORE_UNAVAILABLE` when others changed it again and again
 */
export async function mendGroup(context: MendContext, first: Found): Promise<Found> {
  let found = first;
  for (let attempt = 0; found.faults.length > 0; attempt++) {
    if (attempt === ATTEMPTS)
      throw new DtError(
        "DT_STORE_UNAVAILABLE",
        `the group is damaged (${found.faults.join("; ")}), and others changed it while it was mended`,
      );
    const isHeadAlone = found.table !== undefined && found.rawHead !== undefined && !found.head;
    await (isHeadAlone ? replaceHead(context, found) : beginAgain(context, found));
    found = await findGroup(context.items);
  }
  return found;
}

/**
 * Mends a group, or begins it again whatever it is like. Safe while members live: they come back and claim what they
 * use.
 * @throws DtError `DT_STORE_UNAVAILABLE` when others changed it again and again
 */
export async function repairGroup(context: MendContext, reset: boolean): Promise<RepairReport> {
  const first = await findGroup(context.items, reset);
  let toReset = first;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (reset) await beginAgain(context, toReset);
    const found = await mendGroup(context, await findGroup(context.items));
    const members = found.table?.members().length ?? 0;
    const isReset = found.table !== undefined && found.table.birth !== first.table?.birth;
    if (isReset || !reset) return { found: first.faults, members, reset: isReset };
    toReset = found;
  }
  throw new DtError("DT_STORE_UNAVAILABLE", "others changed the group again and again; nothing was reset");
}
