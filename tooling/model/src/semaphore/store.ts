import type { SlotHint, View } from "@dt/core";
import { SLOT_INTERVAL_MS } from "@dt/core/ledger";
import { SlotWorldTable } from "./table.ts";
import { msOf, TICK_MS } from "./time.ts";
import type { SlotRequest, SlotSetting, SlotWorld } from "./world.ts";

/** The sync interval that members give. */
const SYNC_MS = 1_000;

/**
 * The store works on a request: core's own ledger on the world's rows. Its hints are then on their way. Undefined for a
 * farewell.
 */
export function workOn(world: SlotWorld, setting: SlotSetting, index: number, request: SlotRequest): View | undefined {
  const table = new SlotWorldTable(world, setting.bounds.queue);
  const claimed = request.kind === "register" && !world.rows[index] ? request.held : 0;
  const least = (world.group?.held ?? 0) + claimed;
  const before = world.rows.slice();
  const view = answer(world, setting, table, index, request);
  for (const [incarnation, hint] of table.slots?.hints ?? []) send(world, Number(incarnation), hint);
  if (setting.flaw === "offer-not-on-record")
    for (const [incarnation] of table.slots?.hints ?? []) unrecord(world, Number(incarnation), before);
  checkLedger(world, setting, least);
  return view;
}

function answer(
  world: SlotWorld,
  { bounds, ledger }: SlotSetting,
  table: SlotWorldTable,
  index: number,
  { kind, seq, held, inUse, want, waiting, tookOffer, generation, rejoin }: SlotRequest,
): View | undefined {
  const { id } = world.process(index);
  const ref = { id, incarnation: String(index) };
  const slots = bounds.queue && { slots: { waiting, head: Math.min(waiting, 1), tookOffer } };
  const demand = { want, syncMs: SYNC_MS, ...slots };
  const { max } = bounds;
  const clockMs = msOf(world.tick);
  switch (kind) {
    case "register": {
      const stale = {
        staleAfterMs: bounds.stale * TICK_MS,
        learningMs: bounds.losses > 0 ? bounds.learning * TICK_MS : 0,
      };
      const options = { max, level: null, intervalMs: SLOT_INTERVAL_MS, resumeWithinMs: 0, observedMs: 0, ...stale };
      const registration = { ...ref, seq, rejoin, claim: held, ...options, demand };
      // Before a loss, all data are known to be older than any share; after one, nothing is known.
      const isLost = world.losses < bounds.losses;
      return ledger.register(table, registration, clockMs, isLost ? Number.POSITIVE_INFINITY : 0);
    }
    case "sync": {
      const use = { epoch: 0, used: inUse };
      return ledger.sync(table, ref, { seq, generation, members: 0, held, max, level: null, use, demand }, clockMs);
    }
    case "farewell":
      ledger.deregister(table, ref, { seq, level: null, use: { epoch: 0, used: 0 } }, clockMs);
      return undefined;
  }
}

/** The newest hint of a kind may arrive at any time, or never. */
function send(world: SlotWorld, index: number, hint: SlotHint): void {
  const { stage } = world.process(index);
  if (stage === "gone" || stage === "idle") return;
  world.tell(index, hint.kind === "offer" ? `is offered ${hint.held}` : `is asked for ${hint.give}`);
  if (hint.kind === "offer") world.change(index, { offer: hint });
  else world.change(index, { ask: hint });
}

/**
 * The group's sums are those of its members, and nothing is raised beyond the capacity.
 * @param least what was held before, and what was claimed
 */
function checkLedger(world: SlotWorld, setting: SlotSetting, least: number): void {
  const { group, rows } = world;
  if (!group) return;
  const held = rows.reduce((sum, row) => sum + (row?.held ?? 0), 0);
  const members = rows.filter((row) => row !== undefined).length;
  if (held !== group.held || members !== group.memberCount)
    world.violate(
      setting,
      "ledger",
      `the group counts ${group.memberCount} members with ${group.held} slots, there are ${members} with ${held}`,
    );
  if (held > group.capacity && held > least)
    world.violate(setting, "ledger", `raised to ${held} slots of ${group.capacity}`);
}

/** The raise of an offer is taken back from the record. */
function unrecord(world: SlotWorld, index: number, before: SlotWorld["rows"]): void {
  const { group } = world;
  const [row, known] = [world.rows[index], before[index]];
  if (!group || !row || !known || row.held <= known.held) return;
  world.group = { ...group, held: group.held - row.held + known.held };
  world.rows[index] = { ...row, held: known.held };
}
