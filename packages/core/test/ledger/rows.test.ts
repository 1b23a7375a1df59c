import { describe, expect, it } from "vitest";
import { isDtError } from "../../src/index.ts";
import {
  checkRow,
  DamagedData,
  decodeRow,
  encodeRow,
  GROUP_FORMAT,
  type GroupRow,
  MEMBER_FORMAT,
  type MemberRow,
  type RowFormat,
  SLOT_FORMAT,
  type SlotRow,
} from "../../src/ledger/index.ts";
import { Group } from "./support/group.ts";
import { SlotGroup } from "./support/slot-group.ts";

function rows(): { group: GroupRow; member: MemberRow } {
  const group = new Group();
  group.join("a", { level: 1 / 3, clockErrorMs: 250, observedMs: 1_000_000.125 });
  group.beat("a");
  return { group: group.row, member: group.table.member("a") as MemberRow };
}

/** What version 2 may be one day: a weight for each member. */
const NEXT_FORMAT: RowFormat<MemberRow & { weight: number }> = {
  version: 2,
  fields: [...MEMBER_FORMAT.fields, ["weight", "tokens", 2, 1]],
};

const caught = (call: () => unknown): unknown => {
  try {
    return call();
  } catch (error) {
    return error;
  }
};

describe("rows as versioned lists of fields", () => {
  it("name every field of a row, and come back as they were", () => {
    const { group, member } = rows();
    expect(GROUP_FORMAT.fields.map(([name]) => name).sort()).toEqual(Object.keys(group).sort());
    expect(MEMBER_FORMAT.fields.map(([name]) => name).sort()).toEqual(Object.keys(member).sort());
    const through = (row: unknown): unknown => JSON.parse(JSON.stringify(row));
    for (const changes of [
      {},
      { freedEpoch: null, hungryMs: null, wants: [] },
      { freedEpoch: 7, spent: 3, hungryMs: 98.5, wants: [[0, 1] as const, [18, 2] as const] },
    ]) {
      const row = { ...group, ...changes };
      expect(decodeRow(GROUP_FORMAT, through(encodeRow(GROUP_FORMAT, row)), "here")).toEqual(row);
    }
    for (const changes of [
      {},
      { want: 18, odd: true, gaveUpMs: 97.25, restUntilMs: 1e24, activity: { used: 0, waiting: 1e12 } },
    ]) {
      const row = { ...member, ...changes };
      expect(decodeRow(MEMBER_FORMAT, through(encodeRow(MEMBER_FORMAT, row)), "here")).toEqual(row);
    }
  });

  it("name every field of a row of a semaphore's queue, which is checked in the same way", () => {
    const group = new SlotGroup(1, "a");
    group.report("a", 0, { waiting: 2 });
    const row = group.table.slots.slotsOf("a") as SlotRow;
    expect(SLOT_FORMAT.fields.map(([name]) => name).sort()).toEqual(Object.keys(row).sort());
    for (const changes of [{}, { sinceMs: 0.25, tier: 1, offeredMs: 98.5, askedMs: 99, asked: 3 }])
      expect(checkRow(SLOT_FORMAT, { ...row, ...changes }, "row")).toEqual({ ...row, ...changes });
    for (const changes of [{ tier: 3 }, { tier: "0" }, { held: -1 }, { want: 0.5 }, { sinceMs: "now" }, { seq: null }])
      expect(caught(() => checkRow(SLOT_FORMAT, { ...row, ...changes }, "row"))).toBeInstanceOf(DamagedData);
  });

  it.each<[string, readonly unknown[]]>([
    ["freedEpoch", [undefined, -1, 0.5, "7"]],
    ["spent", [null, -1, 0.5, 1e13]],
    ["hungryMs", [undefined, -1, "soon", Number.POSITIVE_INFINITY]],
    ["wants", [undefined, null, {}, "", [7], [[7]], [[7, 1, 1]], [[-1, 1]], [[0.5, 1]], [["7", 1]]]],
    [
      "wants",
      [
        [[7, 0]],
        [[7, -1]],
        [
          [4, 1],
          [2, 1],
        ],
        [
          [4, 1],
          [4, 1],
        ],
        [[Number.NaN, 1]],
        [[2 ** 53, 1]],
      ],
    ],
  ])("of a group are damaged where %s is one of %j", (name, values) => {
    const { group } = rows();
    for (const value of values)
      expect(caught(() => checkRow(GROUP_FORMAT, { ...group, [name]: value }, "row"))).toBeInstanceOf(DamagedData);
  });

  it.each<[string, readonly unknown[]]>([
    ["want", [undefined, -1, 0.5, "7", 2 ** 53]],
    ["odd", [undefined, null, 0, 1, "true"]],
    ["gaveUpMs", [null, -1, "now"]],
    ["restUntilMs", [null, -1, Number.POSITIVE_INFINITY]],
    ["activity", [undefined, 7, "7", [7, 3], {}, { used: 7 }, { used: 7, waiting: 3, more: 1 }]],
    [
      "activity",
      [
        { used: -1, waiting: 0 },
        { used: 0, waiting: 0.5 },
        { used: 1e13, waiting: 0 },
      ],
    ],
  ])("of a member are damaged where %s is one of %j", (name, values) => {
    const { member } = rows();
    for (const value of values)
      expect(caught(() => checkRow(MEMBER_FORMAT, { ...member, [name]: value }, "row"))).toBeInstanceOf(DamagedData);
  });

  it("are damaged when a value is not finite, not whole or out of range, when one is missing and when one is too many", () => {
    const { group, member } = rows();
    const stored = encodeRow(GROUP_FORMAT, group);
    const broken = (index: number, value: unknown): unknown => stored.map((old, at) => (at === index ? value : old));
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, -1, 0.5, 1e300, "99", null, undefined, {}, true])
      expect(caught(() => decodeRow(GROUP_FORMAT, broken(2, value), "row"))).toBeInstanceOf(DamagedData);
    for (const value of [
      undefined,
      null,
      "",
      "text",
      {},
      [],
      stored.slice(1),
      stored.slice(0, -1),
      [...stored, 0],
      ...["f0", "f", "f01", "f1000", "F1", "1", 0, 2, null].map((tag) => [tag, ...stored.slice(1)]),
    ])
      expect(caught(() => decodeRow(GROUP_FORMAT, value, "row"))).toBeInstanceOf(DamagedData);
    for (const [name, value] of Object.entries({
      id: "",
      max: 1e15,
      expiresAtMs: Number.NaN,
      standing: "king",
      level: "1",
    })) {
      const error = caught(() => checkRow(MEMBER_FORMAT, { ...member, [name]: value }, "table members"));
      expect(isDtError(error, "DT_STORE_DATA"), name).toBe(true);
      expect((error as Error).message).toContain(`table members holds ${name} `);
      expect((error as Error).message).toContain("dt repair <store> throttle <name>");
    }
  });
});

describe("two versions side by side", () => {
  it("the newer one reads what the older one wrote, with the value that a new field had before", () => {
    const { member } = rows();
    expect(decodeRow(NEXT_FORMAT, encodeRow(MEMBER_FORMAT, member), "row")).toEqual({ ...member, weight: 1 });
    expect(checkRow(NEXT_FORMAT, { ...member }, "row")).toEqual({ ...member, weight: 1 });
  });

  it("of a checkout from before format 1 are refused, and are no damage", () => {
    // Eighteen fields, and beside them what was freed.
    const before = [1, 5, 1, 100, 1, 100, 1, 1000, 9, 9, 0, 9, 0, 0, 2500, 10000, 0, 0, 0];
    const error = caught(() => decodeRow(GROUP_FORMAT, before, "key g"));
    expect(isDtError(error, "DT_STORE_DATA")).toBe(true);
    expect(error).not.toBeInstanceOf(DamagedData);
    expect((error as Error).message).toMatch(/^key g has a format from before the first release.* --reset"$/);
  });

  it("the older one refuses what the newer one wrote, and does not take it for damage", () => {
    const { member } = rows();
    const error = caught(() => decodeRow(MEMBER_FORMAT, encodeRow(NEXT_FORMAT, { ...member, weight: 3 }), "key m"));
    expect(isDtError(error, "DT_STORE_DATA")).toBe(true);
    expect(error).not.toBeInstanceOf(DamagedData);
    expect((error as Error).message).toMatch(
      /^key m has format version 2, made by a newer version.* knows versions up to 1\. Nothing was changed/,
    );
  });
});
