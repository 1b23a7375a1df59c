import { describe, expect, it } from "vitest";
import { isDtError, type View } from "../../src/index.ts";
import {
  DamagedData,
  decodeRow,
  encodeRow,
  GROUP_FORMAT,
  type GroupRow,
  healing,
  inspect,
  MEMBER_FORMAT,
  type MemberRow,
  register,
  repair,
  type Stored,
  sync,
} from "../../src/ledger/index.ts";
import { MemoryTable } from "../../src/memory/memory-table.ts";
import { registration } from "./support/group.ts";

/** A table whose rows are stored as lists, which anybody may damage. */
class StoredTable extends MemoryTable {
  readonly broken = new Map<string, unknown>();
  #lostGroup = false;

  loseGroup(): void {
    this.#lostGroup = true;
  }

  override group(): GroupRow | undefined {
    return this.#lostGroup ? undefined : this.storedGroup()?.read();
  }

  override putGroup(row: GroupRow): void {
    this.#lostGroup = false;
    super.putGroup(row);
  }

  override member(incarnation: string): MemberRow | undefined {
    return this.#stored(incarnation)?.read();
  }

  override storedGroup(): Stored<GroupRow> | undefined {
    const row = super.group();
    if (!row || this.#lostGroup) return undefined;
    const stored = this.broken.get("") ?? encodeRow(GROUP_FORMAT, row);
    return { read: () => decodeRow(GROUP_FORMAT, stored, "the group's row") };
  }

  override storedMembers(): readonly Stored<MemberRow>[] {
    return super.storedMembers().map((row) => this.#stored(row.read().incarnation) as Stored<MemberRow>);
  }

  override replace(row: GroupRow, members: readonly MemberRow[]): void {
    this.broken.clear();
    super.replace(row, members);
  }

  #stored(incarnation: string): Stored<MemberRow> | undefined {
    const row = super.member(incarnation);
    if (!row) return undefined;
    const stored = this.broken.get(incarnation) ?? encodeRow(MEMBER_FORMAT, row);
    return { read: () => decodeRow(MEMBER_FORMAT, stored, `row ${incarnation}`) };
  }
}

/** Members that do as they are told, on a table that anybody may damage. */
class Fleet {
  readonly table = new StoredTable();
  clockMs = 1_000_000;
  readonly #views = new Map<string, View>();
  #seq = 1;

  constructor(...names: string[]) {
    for (const name of names) this.#register(name, false, 0);
    for (let round = 0; round < 3; round++) this.beat(...names);
  }

  /** What these are answered, one after the other; who is not known registers again and claims what it held. */
  beat(...names: string[]): { status: string; held: number; learning: boolean; generation: number }[] {
    this.clockMs += 1_000;
    return names.map((name) => {
      const before = this.#views.get(name);
      const known = before && "held" in before ? before : undefined;
      const held = known ? (known.status === "agree" ? known.held : known.entitled) : 0;
      const report = {
        seq: ++this.#seq,
        generation: known?.generation ?? 0,
        members: known?.members ?? 0,
        held,
        max: 90,
        level: null,
      };
      let view = healing(this.table, this.clockMs, () =>
        sync(this.table, { id: name, incarnation: name }, report, this.clockMs),
      );
      if (view.status === "unknown") view = this.#register(name, known !== undefined, known?.entitled ?? 0);
      this.#views.set(name, view);
      if (!("held" in view)) throw new Error(`${name} was answered ${view.status}`);
      return { status: view.status, held: view.held, learning: view.learning, generation: view.generation };
    });
  }

  join(name: string): View {
    return this.#register(name, false, 0);
  }

  patch(change: Partial<GroupRow>): void {
    this.table.putGroup({ ...(this.table.group() as GroupRow), ...change });
  }

  #register(name: string, rejoin: boolean, claim: number): View {
    const request = registration(name, { max: 90, seq: ++this.#seq, rejoin, claim });
    const view = healing(this.table, this.clockMs, () => register(this.table, request, this.clockMs));
    this.#views.set(name, view);
    return view;
  }
}

const held = (answers: readonly { readonly held: number }[]): number =>
  answers.reduce((sum, answer) => sum + answer.held, 0);

describe("a damaged member", () => {
  it("is dropped, its group learns for a stale age, and it claims its tokens again", () => {
    const fleet = new Fleet("a", "b", "c");
    const { generation } = fleet.table.group() as GroupRow;
    fleet.table.broken.set("b", ["f1", "b", Number.NaN]);
    const answers = fleet.beat("b", "a", "c");
    expect(answers.map((answer) => answer.held)).toEqual([30, 30, 30]);
    expect(answers.every((answer) => answer.learning && answer.generation > generation)).toBe(true);
    for (let second = 1; second < 10; second++)
      expect(fleet.beat("a", "b", "c").every(({ learning }) => learning)).toBe(true);
    fleet.beat("a", "b", "c");
    expect(fleet.beat("a", "b", "c")).toMatchObject([{ status: "agree", held: 30 }, { held: 30 }, { held: 30 }]);
  });

  it("that is cut off keeps its tokens to itself until its share has ended", () => {
    const fleet = new Fleet("a", "b", "c");
    // The repair finds it, since the member of the last rank must move to another one.
    fleet.table.broken.set("c", "garbage");
    expect(repair(fleet.table, {}, fleet.clockMs)).toEqual({ found: ["row c holds no row"], members: 2, reset: false });
    // c does not call any more, and may use its 30 tokens for as long as its validity lasts, which is less than its
    // stale age.
    let sums: number[] = [];
    for (let second = 1; second < 10; second++) sums = [...sums, held(fleet.beat("a", "b"))];
    expect(new Set(sums)).toEqual(new Set([60]));
    fleet.beat("a", "b");
    expect(held(fleet.beat("a", "b"))).toBe(90);
  });
});

describe("a damaged group", () => {
  it.each([
    ["its row is garbage", (fleet: Fleet) => fleet.table.broken.set("", ["f1", "x"])],
    ["its row is missing beside members", (fleet: Fleet) => fleet.table.loseGroup()],
  ])("%s: the members are forgotten, claim again, and nobody is raised for a stale age", (_, damage) => {
    const fleet = new Fleet("a", "b", "c");
    const { generation } = fleet.table.group() as GroupRow;
    damage(fleet);
    // A newcomer comes first: it must not get what the others use.
    fleet.join("new");
    const answers = fleet.beat("new", "a", "b", "c");
    expect(answers.map((answer) => answer.held)).toEqual([0, 30, 30, 30]);
    expect(answers.every((answer) => answer.learning && answer.generation > generation)).toBe(true);
    for (let second = 2; second < 10; second++) expect(held(fleet.beat("new", "a", "b", "c"))).toBeLessThanOrEqual(90);
    for (let second = 0; second < 4; second++) fleet.beat("new", "a", "b", "c");
    const sizes = fleet.beat("new", "a", "b", "c");
    expect(sizes.every(({ status, held }) => status === "agree" && held >= 22)).toBe(true);
  });
});

describe("wrong aggregates", () => {
  it.each<[string, Partial<GroupRow>]>([
    ["more members than there are", { memberCount: 99 }],
    ["fewer members than there are", { memberCount: 1 }],
    ["a sum that is too small", { held: 3 }],
    ["more adoptions than members", { adopted: 4 }],
    ["a capacity that is too large", { capacity: 900 }],
    ["a capacity of nothing", { capacity: 0 }],
    ["an old generation", { generation: 7 }],
  ])("%s: the next heartbeats make it good, without learning", (_, change) => {
    const fleet = new Fleet("a", "b", "c");
    fleet.patch(change);
    for (let round = 0; round < 3; round++) fleet.beat("a", "b", "c");
    expect(fleet.beat("a", "b", "c")).toMatchObject([
      { status: "agree", held: 30, learning: false },
      { held: 30 },
      { held: 30 },
    ]);
    expect(repair(fleet.table, {}, fleet.clockMs)).toEqual({ found: [], members: 3, reset: false });
  });

  it("a sum that is too large is made good when the membership changes", () => {
    const fleet = new Fleet("a", "b", "c");
    fleet.patch({ held: 5_000 });
    fleet.join("d");
    for (let round = 0; round < 3; round++) fleet.beat("a", "b", "c", "d");
    expect(fleet.beat("a", "b", "c", "d").every(({ status, held }) => status === "agree" && held >= 22)).toBe(true);
  });
});

describe("repair", () => {
  it("finds nothing in a sound group and in none, and changes nothing", () => {
    const fleet = new Fleet("a", "b");
    const before = inspect(fleet.table, "g", fleet.clockMs);
    expect(repair(fleet.table, {}, fleet.clockMs)).toEqual({ found: [], members: 2, reset: false });
    expect(inspect(fleet.table, "g", fleet.clockMs)).toEqual(before);
    expect(repair(new StoredTable(), { reset: true }, 5)).toEqual({ found: [], members: 0, reset: false });
  });

  it("a reset on a living fleet grants nothing twice: everybody claims, nobody is raised for a stale age", () => {
    const fleet = new Fleet("a", "b", "c");
    const before = fleet.table.group() as GroupRow;
    expect(repair(fleet.table, { reset: true }, fleet.clockMs)).toEqual({ found: [], members: 0, reset: true });
    fleet.join("new");
    for (let second = 1; second < 10; second++)
      expect(fleet.beat("new", "a", "b", "c").map((answer) => answer.held)[0]).toBe(0);
    const after = fleet.table.group() as GroupRow;
    expect(after.generation).toBeGreaterThan(before.generation);
    expect(after.lastMs).toBeGreaterThan(before.lastMs);
    for (let second = 0; second < 4; second++) fleet.beat("new", "a", "b", "c");
    expect(fleet.beat("new", "a", "b", "c").every(({ status }) => status === "agree")).toBe(true);
  });

  it("gives every member a rank of its own and every id one holder", () => {
    const fleet = new Fleet("a", "b", "c");
    const row = fleet.table.member("c") as MemberRow;
    fleet.table.replace(fleet.table.group() as GroupRow, [
      fleet.table.member("a") as MemberRow,
      { ...(fleet.table.member("b") as MemberRow), id: "a" },
      { ...row, rank: 7 },
    ]);
    const { found } = repair(fleet.table, {}, fleet.clockMs);
    expect(found).toEqual(["a has two holders", "the rank of c is 7 where 2 is free"]);
    expect(fleet.table.members().map(({ rank, standing }) => `${rank} ${standing}`)).toEqual([
      "0 fenced",
      "1 holder",
      "2 holder",
    ]);
  });

  it.each([
    ["of a newer version", "f2"],
    ["from before format 1", 1],
  ])("refuses rows %s and changes nothing; a reset forgets them", (_, tag) => {
    const fleet = new Fleet("a", "b");
    const newer = [tag, ...encodeRow(MEMBER_FORMAT, fleet.table.member("b") as MemberRow).slice(1), 5];
    fleet.table.broken.set("b", newer);
    const before = inspect(new Fleet("a", "b").table, "g", fleet.clockMs);
    for (const call of [() => repair(fleet.table, {}, fleet.clockMs), () => fleet.beat("b")]) {
      let error: unknown;
      try {
        call();
      } catch (thrown) {
        error = thrown;
      }
      expect(isDtError(error, "DT_STORE_DATA") && !(error instanceof DamagedData)).toBe(true);
    }
    expect(fleet.table.broken.get("b")).toBe(newer);
    expect(before.memberCount).toBe(2);
    expect(repair(fleet.table, { reset: true }, fleet.clockMs)).toMatchObject({ members: 0, reset: true });
    expect(fleet.beat("a", "b").map((answer) => answer.held)).toEqual([45, 45]);
  });
});
