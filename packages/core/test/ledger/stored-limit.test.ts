import { describe, expect, it } from "vitest";
import type { LimitChange, MemberView, Registration, Report, View } from "../../src/index.ts";
import { deregister, type GroupRow, inspect, type LimitRecordRow, repair, sync } from "../../src/ledger/index.ts";
import { changeLimit } from "../../src/limits/change-limit.ts";
import { MemoryTable } from "../../src/memory/memory-table.ts";
import { number, rowsOf, shown } from "./support/contract-page.ts";
import { Group } from "./support/group.ts";

/** A group with a record; each name has the options that it joined with. */
class LimitedGroup extends Group {
  readonly #limit: { record: LimitRecordRow | undefined };
  readonly #options = new Map<string, Pick<Registration, "max" | "stored">>();
  #reports = 1_000;

  constructor() {
    const limit: { record: LimitRecordRow | undefined } = { record: undefined };
    super(new MemoryTable(() => limit.record));
    this.#limit = limit;
  }

  set(max: number | undefined, changes: Partial<LimitChange> = {}): void {
    const change = { values: max === undefined ? undefined : { max }, by: "ann", ...changes };
    this.#limit.record = changeLimit("group", this.#limit.record, change, this.clockMs);
  }

  spoil(parts: Partial<LimitRecordRow>): void {
    this.#limit.record = { ...(this.#limit.record as LimitRecordRow), ...parts };
  }

  joined(name: string, max: number, stored: boolean, changes: Partial<Registration> = {}): MemberView {
    this.#options.set(name, { max, ...(stored && { stored }) });
    return this.join(name, { max, ...(stored && { stored }), ...changes });
  }

  report(name: string, changes: Partial<Report> = {}): View {
    const { max, stored } = this.#options.get(name) as Pick<Registration, "max" | "stored">;
    const whole = {
      seq: ++this.#reports,
      generation: 0,
      members: 0,
      held: 0,
      level: null,
      max,
      ...(stored && { stored }),
    };
    return sync(this.table, { id: name, incarnation: name }, { ...whole, ...changes }, this.clockMs);
  }

  leave(name: string): void {
    deregister(this.table, { id: name, incarnation: name }, { seq: ++this.#reports, level: null }, this.clockMs);
  }

  get copy(): GroupRow["stored"] {
    return this.row.stored;
  }
}

/** A member with `stored` and 100 in its code. */
function oneMember(): LimitedGroup {
  const group = new LimitedGroup();
  group.joined("a", 100, true);
  return group;
}

it("is what the page of the contract says, row by row", () => {
  const group = new LimitedGroup();
  let generation = 0;
  const made = rowsOf("R36", "at").map(([at = "", text = ""]) => {
    group.clockMs = number(at);
    const [name = "", verb = "", ...rest] = text.split(" ");
    if (verb === "joins") group.joined(name, number(rest[1]), name !== "b");
    else if (verb === "reports") group.report(name);
    else if (verb === "leaves") group.leave(name);
    else group.set(text.endsWith("removed") ? undefined : number(text.split(" ").at(-1)));
    const { stored, capacity } = group.row;
    const isNew = group.row.generation !== generation;
    generation = group.row.generation;
    const copy = stored ? `${stored.revision}, ${stored.values.max}` : "";
    return [at, text, copy, shown(capacity), isNew ? "yes" : ""];
  });
  expect(made).toEqual(rowsOf("R36", "at"));
});

describe("a stored limit of a group", () => {
  it("is made of the first request's max, and not changed by others", () => {
    const group = oneMember();
    group.joined("b", 500, true);
    group.report("b", { max: 700 });
    expect([group.copy, group.row.capacity]).toEqual([{ revision: 0, values: { max: 100 } }, 100]);
  });

  it("counts for a newcomer that registers after it was set, also a higher one", () => {
    const group = oneMember();
    group.set(250);
    expect(group.joined("b", 100, true).capacity).toBe(250);
    expect(group.report("a")).toMatchObject({ capacity: 250 });
  });

  it("counts for the first member of all", () => {
    const group = new LimitedGroup();
    group.set(7);
    expect(group.joined("a", 100, true)).toMatchObject({ capacity: 7, entitled: 7 });
  });

  it("ends with its time, on the store's clock and not the group's", () => {
    const group = oneMember();
    group.set(40, { forMs: 10_000 });
    group.report("a", { observedMs: group.clockMs + 60_000 });
    expect(group.row.lastMs).toBe(group.clockMs + 60_000);
    expect(group.row.capacity).toBe(40);
    group.clockMs += 9_999;
    expect(group.report("a")).toMatchObject({ capacity: 40 });
    group.clockMs += 1;
    expect(group.report("a")).toMatchObject({ capacity: 100 });
    expect(group.copy?.revision).toBe(-1);
  });

  it("takes tokens from nobody that holds them, and raises nobody beyond it", () => {
    const group = oneMember();
    group.joined("b", 100, true);
    group.set(60);
    group.report("a", { held: 100 });
    expect(group.row).toMatchObject({ capacity: 60, held: 100 });
    expect(group.report("b")).toMatchObject({ capacity: 60, held: 0, entitled: 0 });
  });

  it("counts from the next epoch where it is higher", () => {
    const group = oneMember();
    group.report("a", { held: 100, generation: group.row.generation, members: 1 });
    group.clockMs += 5_000;
    const epoch = Math.floor(group.clockMs / 1_000);
    group.set(300);
    const view = group.report("a", { held: 100, use: { epoch, used: 100 } }) as MemberView;
    expect(view).toMatchObject({ capacity: 300, held: 300, early: 0 });
    expect(view.fromEpoch).toBe(epoch + 1);
  });

  it("is changed by no repeat, no stranger and no fenced member", () => {
    const group = oneMember();
    group.report("a", { generation: group.row.generation });
    group.joined("other", 100, true, { id: "a" });
    group.report("other", { generation: group.row.generation });
    expect(group.report("a")).toMatchObject({ status: "fenced" });
    group.set(9);
    group.report("a");
    group.report("other", { seq: 1 });
    sync(
      group.table,
      { id: "x", incarnation: "x" },
      { seq: 1, generation: 0, members: 0, held: 0, level: null, max: 5, stored: true },
      group.clockMs,
    );
    expect([group.copy?.revision, group.row.capacity]).toEqual([0, 100]);
    expect(group.report("other")).toMatchObject({ capacity: 9 });
  });

  it("goes with the last member that has stored: when it goes stale, or reports without it", () => {
    const stale = oneMember();
    stale.joined("b", 300, false, { staleAfterMs: 100_000 });
    stale.set(50);
    stale.report("a");
    for (let ms = 0; ms < 30_000; ms += 1_000) {
      stale.clockMs += 1_000;
      stale.report("b");
    }
    expect([stale.copy, stale.row.capacity]).toEqual([null, 300]);
    const changed = oneMember();
    changed.set(50);
    changed.report("a");
    changed.report("a", { stored: false, max: 80 });
    expect([changed.copy, changed.row.capacity]).toEqual([null, 80]);
    changed.report("a");
    expect([changed.copy, changed.row.capacity]).toEqual([{ revision: 1, values: { max: 50 } }, 50]);
  });

  it("is shown by a look at the group, with members that declare nothing", () => {
    const group = oneMember();
    group.joined("b", 300, false);
    const { stored, capacity, members } = inspect(group.table, "g", group.clockMs);
    expect({ stored, capacity, max: members.map(({ max }) => max) }).toEqual({
      ...{ stored: { revision: 0, values: { max: 100 } }, capacity: 100, max: [null, 300] },
    });
    group.leave("a");
    expect(inspect(group.table, "g", group.clockMs)).not.toHaveProperty("stored");
  });

  it("is kept by a repair, which removes a member that has none", () => {
    const group = oneMember();
    group.set(50);
    group.report("a");
    expect(repair(group.table, {}, group.clockMs).found).toEqual([]);
    group.table.putGroup({ ...group.row, capacity: 90 });
    expect(repair(group.table, {}, group.clockMs).found).toEqual([
      "the group's capacity is 90 where its members make it 50",
    ]);
    expect(group.row.capacity).toBe(50);
    group.table.putGroup({ ...group.row, stored: null });
    expect(() => group.report("a")).toThrow(expect.objectContaining({ code: "DT_STORE_DATA" }));
    expect(repair(group.table, {}, group.clockMs)).toMatchObject({
      ...{ found: ["a has the stored limit where the group has none"], members: 0 },
    });
  });

  it("is refused with nothing changed where its record is damaged, until it is set anew", () => {
    const group = oneMember();
    group.set(50);
    group.spoil({ values: '{"max":"many"}' });
    const before = [group.row, group.table.members()];
    group.clockMs += 60_000;
    for (const ask of [() => group.report("a"), () => group.joined("b", 100, true)])
      expect(ask).toThrow(
        expect.objectContaining({ code: "DT_STORE_DATA", message: expect.stringContaining("dt limit set") }),
      );
    expect([group.row, group.table.members()]).toEqual(before);
    group.joined("c", 300, false);
    group.set(50);
    expect(group.joined("b", 100, true).capacity).toBe(50);
  });
});
