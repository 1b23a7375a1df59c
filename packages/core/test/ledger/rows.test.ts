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
} from "../../src/ledger/index.ts";
import { Group } from "./support/group.ts";

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
    expect(decodeRow(GROUP_FORMAT, through(encodeRow(GROUP_FORMAT, group)), "here")).toEqual(group);
    expect(decodeRow(MEMBER_FORMAT, through(encodeRow(MEMBER_FORMAT, member)), "here")).toEqual(member);
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
      [0, ...stored.slice(1)],
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
      expect((error as Error).message).toContain("dt repair <store> <group>");
    }
  });
});

describe("two versions side by side", () => {
  it("the newer one reads what the older one wrote, with the value that a new field had before", () => {
    const { member } = rows();
    expect(decodeRow(NEXT_FORMAT, encodeRow(MEMBER_FORMAT, member), "row")).toEqual({ ...member, weight: 1 });
    expect(checkRow(NEXT_FORMAT, { ...member }, "row")).toEqual({ ...member, weight: 1 });
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
