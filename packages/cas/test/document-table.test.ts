import { DamagedData, DocumentTable, groupEssence, memberEssence } from "@dt/cas";
import { isDtError, type MemberView, type Registration } from "@dt/core";
import { deregister, type GroupRow, type MemberRow, register, sync } from "@dt/core/ledger";
import { compareTables, type TableUnderTest } from "@dt-tooling/simulator/hybrid";
import { describe, expect, it } from "vitest";

/** A document that is read and written anew for each operation. */
class Document implements TableUnderTest {
  readonly keepsActivity = false;
  text: string | undefined;
  #before = "";

  begin(stale: readonly string[]): DocumentTable {
    const numbered = new Map(stale.map((incarnation) => [incarnation, Number.MAX_SAFE_INTEGER]));
    const table = new DocumentTable(this.text, "document", { stale: numbered });
    this.#before = essence(table);
    return table;
  }

  end(table: DocumentTable): void {
    // What may go unrecorded is nothing but times, levels and numbers of heartbeats.
    expect(essence(table) !== this.#before).toBe(table.changed);
    this.text = table.group() && table.encode();
  }
}

function essence(table: DocumentTable): string {
  const row = table.group();
  const { levels } = row ? (JSON.parse(table.encode()) as { levels: unknown }) : { levels: [] };
  return JSON.stringify([row && groupEssence(row), table.members().map(memberEssence), levels]);
}

/** A member's row with another rank. */
function moved(row: readonly unknown[] = []): readonly unknown[] {
  return row.map((value, at) => (at === 4 ? 1 : value));
}

const registration: Registration = {
  ...{ id: "a", incarnation: "a", seq: 1, rejoin: false, claim: 0, max: 100, intervalMs: 1_000, staleAfterMs: 10_000 },
  ...{ learningMs: 0, level: null, resumeWithinMs: 0, observedMs: 0 },
};

describe("a ledger in one document", () => {
  it("is the ledger on plain maps, whatever happens", () => {
    for (let seed = 1; seed <= 60; seed++) expect(compareTables(new Document(), seed, 150)).toBeUndefined();
  });

  it("takes about a hundred bytes for each member", () => {
    const table = new DocumentTable(undefined, "document");
    for (let i = 0; i < 100; i++) {
      const id = `p-${String(i).padStart(20, "0")}`;
      register(table, { ...registration, id, incarnation: String(i).padStart(20, "0") }, 1.7e12);
    }
    expect(table.encode().length / 100).toBeLessThan(170);
  });

  it("is recorded when a member gives up what it used and is given as much at once", () => {
    const table = new DocumentTable(undefined, "document");
    const { generation, members } = register(table, registration, 1_000) as MemberView;
    const report = { seq: 2, generation, members, held: 100, max: 100, level: null };
    expect(sync(table, registration, report, 1_100)).toMatchObject({ held: 100 });
    const lapsed = { ...report, seq: 3, held: 0, use: { epoch: 5, used: 40 } };
    // The time of the last heartbeat is not the one that is recorded: what was freed is known all the same.
    const again = new DocumentTable(table.encode(), "document", { heardMs: 5_100 });
    expect(sync(again, registration, lapsed, 5_200)).toMatchObject({ held: 100, early: 60, fromEpoch: 6 });
    expect(again.group()).toMatchObject({ held: 100, freedEpoch: 5, spent: 40 });
    expect(again.changed).toBe(true);
    expect(new DocumentTable(again.encode(), "document").group()).toMatchObject({ freedEpoch: 5, spent: 40 });
  });

  it.each<[string, (table: DocumentTable) => void, boolean]>([
    ["a level that is remembered", (table) => table.rememberLevel("z", 7, 9_000, 1_000), true],
    ["the last member's leaving", (table) => table.deleteMember(table.memberAtRank(1) as MemberRow), true],
    ["a member that is put as it was", (table) => table.putMember(table.memberAtRank(1) as MemberRow), false],
    ["a group that is put as it was", (table) => table.putGroup(table.group() as GroupRow), false],
  ])("has %s for a change or not, though nothing else is touched", (_, touch, changed) => {
    const first = new DocumentTable(undefined, "document");
    for (const id of ["a", "b"]) register(first, { ...registration, id, incarnation: id }, 1_000);
    const table = new DocumentTable(first.encode(), "document");
    expect(table.changed).toBe(false);
    touch(table);
    expect(table.changed).toBe(changed);
  });

  it("keeps a level until its time is over, and not after the next one that is remembered", () => {
    const table = new DocumentTable(undefined, "document");
    register(table, registration, 1_000);
    table.rememberLevel("first", 1, 2_000, 1_000);
    table.rememberLevel("lasting", 2, 9_000, 1_000);
    table.rememberLevel("next", 3, 9_000, 2_000);
    // As of time 0 everything counts that is there.
    const stored = new DocumentTable(table.encode(), "document");
    expect(["first", "lasting", "next"].map((id) => stored.rememberedLevel(id, 0))).toEqual([undefined, 2, 3]);
  });

  it("keeps one that was found stale and has reported since", () => {
    const table = new DocumentTable(undefined, "document");
    for (const [id, seq] of [
      ["a", 4],
      ["b", 5],
    ] as const)
      register(table, { ...registration, id, incarnation: id, seq }, 1_000);
    const again = new DocumentTable(table.encode(), "document", {
      stale: new Map([
        ["a", 4],
        ["b", 4],
      ]),
    });
    expect(again.expired().map(({ id }) => id)).toEqual(["a"]);
  });

  it("tells how long its levels are remembered", () => {
    const table = new DocumentTable(undefined, "document");
    expect(table.levelsUntilMs).toBe(0);
    register(table, { ...registration, level: 5, resumeWithinMs: 700 }, 1_000);
    deregister(table, registration, { seq: 2, level: 6 }, 2_000);
    expect(table.levelsUntilMs).toBe(2_700);
  });

  it.each([
    ["of a newer version", "f2", "newer version"],
    ["from before format 1", 1, "before the first release"],
  ])("%s is refused as such, and is not damaged", (_, tag, says) => {
    const table = new DocumentTable(undefined, "document");
    register(table, registration, 1_000);
    const next = JSON.stringify({ ...(JSON.parse(table.encode()) as object), v: tag, more: "fields" });
    let error: unknown;
    try {
      new DocumentTable(next, "item x");
    } catch (thrown) {
      error = thrown;
    }
    expect(isDtError(error, "DT_STORE_DATA")).toBe(true);
    expect(error).not.toBeInstanceOf(DamagedData);
    expect((error as Error).message).toContain(says);
  });

  it("is refused with the place when it is something else", () => {
    const table = new DocumentTable(undefined, "document");
    register(table, registration, 1_000);
    const good = JSON.parse(table.encode()) as { group: unknown[]; members: unknown[][] };
    for (const [what, broken] of [
      ["the format 0", { ...good, v: 0 }],
      ["a ledger without a birth", { ...good, birth: "" }],
      ["without members", { ...good, members: {} }],
      ["0 fields where 24 belong", { ...good, group: ["f1"] }],
      ["memberCount is 1, and the members' rows make 0", { ...good, members: [] }],
      ["the members' ranks are not 0, 1, 2", { ...good, members: [[...moved(good.members[0])]] }],
      ['level "b"', { ...good, levels: [["a", "b", 1]] }],
    ] as const) {
      let error: unknown;
      try {
        new DocumentTable(JSON.stringify(broken), "item x");
      } catch (thrown) {
        error = thrown;
      }
      expect(isDtError(error, "DT_STORE_DATA"), what).toBe(true);
      expect(error).toBeInstanceOf(DamagedData);
      expect((error as Error).message).toContain("dt repair");
      expect((error as Error).message).toMatch(/^item x holds /);
      expect((error as Error).message).toContain(what);
    }
  });
});
