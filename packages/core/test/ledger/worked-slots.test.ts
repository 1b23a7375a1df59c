import { expect, it } from "vitest";
import { divide, lackOf, type Wants } from "../../src/ledger/index.ts";
import { number, rowsOf, shown } from "./support/contract-page.ts";
import { SlotGroup } from "./support/slot-group.ts";

/** The numbers of docs/store-contract.md on semaphores, beside what the ledger makes of them. */

const TIERS = ["its need", "a turn", "nothing"];

it("R28: what a member lacks", () => {
  const rows = rowsOf("R28", "capacity");
  const seen = rows.map(([capacity, wants = "", member = ""]) => {
    const [want = 0, held = 0, head = 0] = member.split(",").map(number);
    const all = wants.split(",").map(number);
    const counted: Wants = [...new Set(all)]
      .sort((a, b) => a - b)
      .map((one) => [one, all.filter((w) => w === one).length]);
    const division = divide({ capacity: number(capacity), memberCount: all.length, wants: counted });
    const { slots, tier } = lackOf(division, { want, held, head });
    const isCostly = tier === 0 && slots === 0;
    return [capacity, wants, member, shown(division.waterLevel), shown(slots), isCostly ? "R34" : TIERS[tier]];
  });
  expect(seen).toEqual(rows);
});

/** "after 20 ms, b holds 0, 4 wait, took the offer": a report of one member. */
const STEP = /^(?:after (\d+) ms, )?(\w) (?:(leaves)|holds (\d+), (\d+) waits?(?: for (\d+))?(, took the offer)?)$/;

/** Does what the first cell of each row says, and gives the rows as they should be. */
function played(group: SlotGroup, rows: readonly string[][]): string[][] {
  return rows.map(([step = ""]) => {
    const [, afterMs = "0", name = "", leaves, held = "", waiting = "", head, took] = STEP.exec(step) ?? [];
    if (!name) throw new Error(`no step: ${step}`);
    group.clockMs += Number(afterMs);
    let answer = "";
    if (leaves) group.leave(name);
    else {
      const view = group.report(name, Number(held), {
        waiting: Number(waiting),
        ...(head && { head: Number(head) }),
        tookOffer: took !== undefined,
      });
      answer = `${view.held}, ${view.place}, ${view.wanted ? "yes" : "no"}, ${view.turns}, ${view.over ? "yes" : "no"}`;
    }
    const record = ["a", "b", "c"].map((one) => group.held[one] ?? "-").join(", ");
    return [step, answer, record, group.queue.join(", "), group.hints.join(", ")];
  });
}

it("R30: three members at two slots", () => {
  const rows = rowsOf("R30", "report");
  expect(played(new SlotGroup(2, "a", "b", "c"), rows)).toEqual(rows);
});

it("R34: a caller that waits for all there is", () => {
  const rows = rowsOf("R34", "report");
  expect(played(new SlotGroup(3, "a", "b", "c"), rows)).toEqual(rows);
});

it("R32: more is held than there is", () => {
  const rows = rowsOf("R32", "report");
  const group = new SlotGroup(4);
  for (const [name, claim] of [
    ["a", 3],
    ["b", 3],
    ["c", 0],
  ] as const)
    group.join(name, { claim });
  expect(played(group, rows)).toEqual(rows);
});
