import { describe, expect, it } from "vitest";
import { isDtError } from "../../src/index.ts";
import {
  checkRow,
  DamagedData,
  decodeRow,
  encodeRow,
  freedBeside,
  GROUP_FORMAT,
  type GroupRow,
  MEMBER_FORMAT,
  type MemberRow,
  type RecordedMember,
  type RowFormat,
  withFreed,
} from "../../src/ledger/index.ts";
import { Group } from "./support/group.ts";

function rows(): { group: GroupRow; member: RecordedMember } {
  const group = new Group();
  group.join("a", { level: 1 / 3, clockErrorMs: 250, observedMs: 1_000_000.125 });
  group.beat("a");
  const { want, odd, gaveUpMs, restUntilMs, activity, ...member } = group.table.member("a") as MemberRow;
  return { group: group.row, member };
}

/** What version 2 may be one day: a weight for each member. */
const NEXT_FORMAT: RowFormat<RecordedMember & { weight: number }> = {
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
    const { freedEpoch, spent, wants, hungryMs, ...recorded } = group;
    expect(GROUP_FORMAT.fields.map(([name]) => name).sort()).toEqual(Object.keys(recorded).sort());
    expect(MEMBER_FORMAT.fields.map(([name]) => name).sort()).toEqual(Object.keys(member).sort());
    const through = (row: unknown): unknown => JSON.parse(JSON.stringify(row));
    const read = decodeRow(GROUP_FORMAT, through(encodeRow(GROUP_FORMAT, group)), "here");
    expect(read).toEqual(recorded);
    expect(withFreed(read, through(freedBeside(group)))).toEqual({ ...recorded, freedEpoch, spent });
    expect(decodeRow(MEMBER_FORMAT, through(encodeRow(MEMBER_FORMAT, member)), "here")).toEqual(member);
  });

  it("say nothing of freed tokens when somebody else has written the row since, or what stands beside it is damaged", () => {
    const { group } = rows();
    const unknown = { ...group, freedEpoch: null, spent: 0 };
    const beside = freedBeside({ ...group, freedEpoch: 7, spent: 3 });
    expect(withFreed(group, beside)).toEqual({ ...group, freedEpoch: 7, spent: 3 });
    for (const changes of [
      { lastMs: group.lastMs + 1 },
      { generation: group.generation + 1 },
      { held: group.held + 1 },
      { adopted: group.adopted + 1 },
    ])
      expect(withFreed({ ...group, ...changes }, beside)).toEqual({ ...unknown, ...changes });
    for (const other of [
      undefined,
      null,
      {},
      "",
      [],
      beside.slice(1),
      [...beside, 0],
      beside.map(String),
      beside.with(5, -1),
      beside.with(4, 0.5),
    ])
      expect(withFreed(group, other)).toEqual(unknown);
    expect(withFreed(group, freedBeside(unknown))).toEqual(unknown);
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
