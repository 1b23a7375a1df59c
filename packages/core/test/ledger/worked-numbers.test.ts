import { expect, it } from "vitest";
import type { MemberView, Report } from "../../src/index.ts";
import {
  demandRaise,
  divide,
  type GroupRow,
  type MemberRow,
  needOf,
  register,
  sync,
  type WantCount,
  type Wants,
  wantOnGrid,
} from "../../src/ledger/index.ts";
import { MemoryTable } from "../../src/memory/memory-table.ts";
import { number, page, rowsOf, shown } from "./support/contract-page.ts";
import { Group, registration } from "./support/group.ts";

/** The numbers of docs/store-contract.md, row by row as they stand there, beside what the ledger makes of them. */

const yes = (value: boolean): string => (value ? "yes" : "no");

/** "10, 104, e" of the page: the counts, and how many members there are. */
function members(text = ""): { readonly wants: Wants; readonly memberCount: number } {
  const all = text.split(/, (?=\d|e)/);
  const counts = new Map<number, number>();
  for (const want of all.filter((one) => one !== "e").map(number)) counts.set(want, (counts.get(want) ?? 0) + 1);
  return { wants: [...counts].sort(([a], [b]) => a - b) as WantCount[], memberCount: all.length };
}

/** A group in old data, at 250 ms into epoch 1,000, with an interval of a second. */
class Store {
  readonly #table = new MemoryTable();
  #seq = 0;

  get row(): GroupRow {
    return this.#table.group() as GroupRow;
  }

  /** The row of a. */
  get member(): MemberRow {
    return this.#table.member("a") as MemberRow;
  }

  /** Puts numbers of the page into the rows of the group and of a. */
  change(group: Partial<GroupRow>, member: Partial<MemberRow>): void {
    this.#table.putGroup({ ...this.row, ...group });
    this.#table.putMember({ ...this.member, ...member });
  }

  join(name: string, changes: Parameters<typeof registration>[1] = {}): MemberView {
    return register(this.#table, registration(name, { seq: ++this.#seq, ...changes }), 1_000_250, 0) as MemberView;
  }

  report(name: string, held: number, changes: Partial<Report> = {}): MemberView {
    const report = { seq: ++this.#seq, generation: 0, members: 0, held, max: 100, level: null, ...changes };
    return sync(this.#table, { id: name, incarnation: name }, report, 1_000_250) as MemberView;
  }
}

it("R9: three members join", () => {
  const group = new Group();
  const steps = rowsOf("R9", "call");
  const seen = steps.map(([call = ""]) => {
    const [name = "", does = ""] = call.split(/[ ,]/);
    const view = does === "joins" ? group.join(name) : group.beat(name);
    return [call, view.status, shown(view.entitled), shown(group.row.held)];
  });
  expect(seen).toEqual(steps);
});

it("R20: the start of what another member gave up", () => {
  const reports: readonly [use: Report["use"], clockErrorMs?: number][] = [
    [{ epoch: 1_000, used: 50 }],
    [{ epoch: 1_000, used: 70 }],
    [{ epoch: 1_000, used: 100 }],
    [{ epoch: 999, used: 100 }],
    [undefined],
    [undefined, 800],
  ];
  const seen = reports.map(([use, clockErrorMs = 0]) => {
    const store = new Store();
    store.join("a", { clockErrorMs });
    store.join("b");
    store.report("a", 50, use && { use });
    const { freedEpoch, spent } = store.row;
    const { entitled, early, fromEpoch } = store.report("b", 0);
    const usable = [1_000, 1_001, 1_002].map((epoch) =>
      epoch >= fromEpoch ? entitled : epoch === fromEpoch - 1 ? early : 0,
    );
    return [freedEpoch as number, spent, ...usable].map(shown);
  });
  const rows = rowsOf("R20", "what a reports of its use");
  expect(rows.map(([, ...cells]) => cells)).toEqual(seen);
  for (const [index, [use]] of reports.entries())
    expect(rows[index]?.[0]).toContain(use ? `${use.used} in epoch ${shown(use.epoch)}` : "nothing");
});

it("R21: the grid of wants", () => {
  const wants = [0, 7, 17, 33, 100, 1_000];
  expect(page).toContain(`| reported | ${wants.map(shown).join(" | ")} |\n`);
  expect(rowsOf("R21", "reported")).toEqual([["counted as", ...wants.map((want) => shown(wantOnGrid(want)))]]);
});

it("R21: how a capacity is divided by what members want", () => {
  const rows = rowsOf("R21", "capacity");
  const seen = rows.map(([capacity, wants]) => {
    const of = divide({ capacity: number(capacity), ...members(wants) });
    const { reserve, float, waterLevel, odd, takers, spare, extra } = of;
    return [
      capacity,
      wants,
      shown(reserve),
      shown(float),
      yes(of.scarce),
      ...[waterLevel, odd, takers, spare, extra].map(shown),
    ];
  });
  expect(seen).toEqual(rows);
});

it("R22: what a member needs, and is raised to", () => {
  const rows = rowsOf("R22", "capacity");
  const seen = rows.map(([capacity, wants, member = "", others]) => {
    const [want = 0, held = 0] = member.split(",").map(number);
    const store = new Store();
    store.join("a", { demand: { want, syncMs: 1_000 } });
    const divided = { capacity: number(capacity), ...members(wants) };
    const group = { ...store.row, ...divided, held: held + number(others) };
    const { tokens } = demandRaise(group, { ...store.member, held }, 0, 1_000);
    return [capacity, wants, member, others, shown(needOf(divide(divided), want)), shown(held + tokens)];
  });
  expect(seen).toEqual(rows);
});

it("R23: how long a member rests after its turn", () => {
  const rows = rowsOf("R23", "capacity");
  const seen = rows.map(([capacity, wants]) => {
    const store = new Store();
    store.join("a", { demand: { want: 8, syncMs: 1_000 } });
    const divided = { capacity: number(capacity), ...members(wants) };
    const { waterLevel, odd, takers } = divide(divided);
    store.change(divided, { odd: true, held: waterLevel + 1 });
    store.report("a", waterLevel, { demand: { want: 8, syncMs: 1_000 } });
    const restsMs = Math.round(store.member.restUntilMs - store.row.lastMs);
    return [capacity, wants, ...[waterLevel, odd, takers].map(shown), `${shown(restsMs)} ms`];
  });
  expect(seen).toEqual(rows);
});

it("R24: what a member may use while more is held than the capacity", () => {
  const rows = rowsOf("R24", "capacity");
  const demand = { want: 80, syncMs: 1_000 };
  const store = new Store();
  store.join("a", { claim: 70, demand });
  store.join("b", { claim: 30, demand });
  const before = store.report("a", 70, { demand });
  store.report("b", 30, { demand, max: 60 });
  const after = store.report("a", 70, { demand });
  expect([before.capacity, after.capacity]).toEqual([100, 60]);
  expect(rows.map(([, held, use]) => [held, use])).toEqual(
    [before, after].map(({ entitled }) => ["70, 30", `${entitled}`]),
  );
});
