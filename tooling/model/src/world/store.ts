import type { View } from "@dt/core";
import {
  checkFarewell,
  checkRegistration,
  checkReport,
  type GroupRow,
  type MemberRow,
  type Wants,
} from "@dt/core/ledger";
import { WorldTable } from "./table.ts";
import { CLOCK_ERROR_MS, INTERVAL_MS, SYNC_MS, storeMs, TICK_MS } from "./time.ts";
import { NEVER, type Request, type Setting, type World } from "./world.ts";

/**
 * The store works on a request: core's own ledger functions on the world's rows, on the store's clock. Undefined for a
 * farewell.
 */
export function workOn(world: World, setting: Setting, slot: number, request: Request): View | undefined {
  const { bounds, ledger } = setting;
  const table = new WorldTable(world, bounds.quietRule);
  const ref = { id: String(slot), incarnation: String(slot) };
  const { seq, held, generation, max, rejoin, use, want } = request;
  const demand = want !== null && { demand: { want, syncMs: SYNC_MS } };
  const clockMs = storeMs(world.tick);
  const before = recordedBy(request, world.rows[slot]);
  const members = world.rows.length - countAbsent(world);
  const view = answer();
  if (world.story && members > world.rows.length - countAbsent(world) + (request.kind === "farewell" ? 1 : 0))
    world.story.push("the store removes a stale member");
  checkLedger(world, setting, slot, view, before);
  return view;

  function answer(): View | undefined {
    switch (request.kind) {
      case "register": {
        const registration = {
          ...ref,
          ...{ seq, rejoin, claim: held, max, level: null, resumeWithinMs: 0, observedMs: 0, ...demand },
          clockErrorMs: CLOCK_ERROR_MS,
          ...{ intervalMs: INTERVAL_MS, staleAfterMs: bounds.stale * TICK_MS, learningMs: learningMs(setting) },
        };
        checkRequest(world, setting, () => checkRegistration("g", registration));
        return ledger.register(table, registration, clockMs, dataSinceMs(world, setting));
      }
      case "sync": {
        const report = { seq, generation, members: 0, held, max, level: null, ...(use && { use }), ...demand };
        checkRequest(world, setting, () => checkReport("g", ref, report));
        return ledger.sync(table, ref, report, clockMs);
      }
      case "farewell": {
        const said = { seq, level: null, ...(use && { use }) };
        checkRequest(world, setting, () => checkFarewell("g", ref, said));
        ledger.deregister(table, ref, said, clockMs);
        return undefined;
      }
    }
  }
}

/** No store refuses what a member of ours says. */
function checkRequest(world: World, setting: Setting, check: () => void): void {
  if (!setting.rules.has("ledger")) return;
  try {
    check();
  } catch (error) {
    world.violate(setting, "ledger", (error as Error).message);
  }
}

/** What the store has on record for a member before it may raise it: what it claims or reports, unless that is old. */
function recordedBy({ kind, seq, held }: Request, row: MemberRow | undefined): number {
  if (row) return seq > row.seq ? Math.min(row.held, held) : row.held;
  return kind === "register" ? held : 0;
}

/** Since when the store has its data, as far as it knows. */
export function dataSinceMs({ lostTick }: World, { bounds }: Setting): number {
  if (bounds.losses > 0 && !bounds.agedData) return Number.POSITIVE_INFINITY;
  return lostTick === NEVER ? 0 : storeMs(lostTick);
}

/** How long a new group learns: only a store that can lose its data needs to. */
export function learningMs({ bounds }: Setting): number {
  return bounds.losses > 0 ? bounds.learning * TICK_MS : 0;
}

/**
 * The row's sums are those of the members, and nothing was raised beyond the capacity outside agreement (R7, R9, R10).
 * Who shares by demand never adopts a generation, so that nobody agrees then (R25).
 */
function checkLedger(world: World, setting: Setting, slot: number, view: View | undefined, before: number): void {
  if (!setting.rules.has("ledger")) return;
  const { group } = world;
  if (!group) return;
  const wanted: Record<number, number> = {};
  let held = 0;
  let adopted = 0;
  let ranks = 0;
  let size = 0;
  for (const row of world.rows) {
    if (!row) continue;
    size += 1;
    if (row.want !== null) {
      wanted[row.want] = (wanted[row.want] ?? 0) + 1;
      if (row.generation === group.generation)
        world.violate(setting, "ledger", "one that shares by demand has adopted");
      if (view?.status === "agree") world.violate(setting, "ledger", "agreement beside one that shares by demand");
    }
    held += row.held;
    if (row.generation === group.generation) adopted += 1;
    ranks |= 1 << row.rank;
  }
  const fault = faultOf(group, { held, adopted, ranks, size, wanted });
  if (fault) world.violate(setting, "ledger", fault);
  const raised = (world.rows[slot]?.held ?? 0) > before;
  if (view?.status === "disagree" && raised && group.held > group.capacity)
    world.violate(setting, "ledger", `raised without agreement to ${group.held} of ${group.capacity}`);
  if (view?.status === "agree" && adopted < size)
    world.violate(setting, "ledger", `agreement of ${adopted} of ${size}`);
}

/** What the rows of the members come to. */
interface Seen {
  readonly held: number;
  readonly adopted: number;
  readonly ranks: number;
  readonly size: number;
  /** How many want so much. */
  readonly wanted: Readonly<Record<number, number>>;
}

function faultOf(group: GroupRow, seen: Seen): string | undefined {
  if (seen.size !== group.memberCount) return `member count ${group.memberCount} of ${seen.size} members`;
  if (seen.held !== group.held) return `the group's held is ${group.held}, its members hold ${seen.held}`;
  if (seen.adopted !== group.adopted) return `the group's adopted is ${group.adopted}, of its members ${seen.adopted}`;
  if (seen.ranks !== (1 << seen.size) - 1) return `ranks ${seen.ranks.toString(2)} of ${seen.size} members`;
  return isCountOf(group.wants, seen.wanted)
    ? undefined
    : `the group's wants are ${JSON.stringify(group.wants)}, its members' ${JSON.stringify(seen.wanted)}`;
}

function isCountOf(wants: Wants, wanted: Seen["wanted"]): boolean {
  return wants.length === Object.keys(wanted).length && wants.every(([want, members]) => wanted[want] === members);
}

function countAbsent(world: World): number {
  return world.rows.reduce((count, row) => count + (row ? 0 : 1), 0);
}
