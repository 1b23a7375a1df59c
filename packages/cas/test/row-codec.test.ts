import { decodeGroup, decodeMember, encodeGroup, encodeMember, parseStored } from "@dt/cas";
import type { GroupRow, MemberRow } from "@dt/core/ledger";
import { describe, expect, it } from "vitest";

const group: GroupRow = {
  ...{ generation: 12_345, memberCount: 2, held: 7, adopted: 1, capacity: 9, largestMemberCount: 3, intervalMs: 250.5 },
  ...{
    createdAtMs: 1.25,
    learnFromMs: 0.25,
    learnUntilMs: 1.25,
    lastMs: 99.5,
    offsetMs: 0,
    lapsedMs: 3,
    quietLimitMs: 2_500,
  },
  ...{ longestStaleMs: 10_000, clockErrorMs: 250, aheadUntilMs: 99.75, repairs: 1, freedEpoch: 4, spent: 2 },
  ...{
    wants: [
      [0, 1],
      [18, 2],
    ],
    hungryMs: 98.5,
    pausedUntilMs: 130.25,
    stored: { revision: -3, values: { max: 9 } },
  },
};
const member: MemberRow = {
  ...{ id: "日本", incarnation: "boot", seq: 4, rank: 1, generation: 12_345, memberCount: 2, held: 3, max: 9 },
  ...{
    level: null,
    staleAfterMs: 10_000,
    clockErrorMs: 2.5,
    resumeWithinMs: 0,
    expiresAtMs: 12.125,
    standing: "holder",
    joined: 7,
  },
  ...{ want: null, odd: false, gaveUpMs: 0, restUntilMs: 0, activity: null },
};

/** It holds an odd token and gave one up before. */
const turned = { want: 18, odd: true, gaveUpMs: 97.25, restUntilMs: 99.125 };

const code = (error: unknown): unknown => (error as { code?: unknown }).code;
function refusal(call: () => unknown): { code: unknown; message: string } {
  try {
    call();
  } catch (error) {
    return { code: code(error), message: (error as Error).message };
  }
  throw new Error("it was accepted");
}

describe("rows as JSON", () => {
  it("come back as they were", () => {
    const through = (row: unknown): unknown => JSON.parse(JSON.stringify(row) ?? "null");
    for (const row of [group, { ...group, wants: [], hungryMs: null }, { ...group, freedEpoch: null }])
      expect(decodeGroup(through(encodeGroup(row)), "here")).toEqual(row);
    const leveled = { ...member, level: 12.625, standing: "fenced" as const };
    const active = { ...member, ...turned, activity: { used: 0, waiting: 7 } };
    for (const row of [member, leveled, { ...member, want: 0 }, { ...member, ...turned }, active])
      expect(decodeMember(through(encodeMember(row)), "here")).toEqual(row);
  });

  it("store no offset: a hybrid clock has none", () => {
    expect(decodeGroup(encodeGroup({ ...group, offsetMs: 7 }), "here")).toEqual(group);
  });

  it("are refused with the place and the field when a field is missing, of another kind or out of range", () => {
    const row = encodeMember(member);
    for (const [index, value, field] of [
      [1, "", "id"],
      [3, -1, "seq"],
      [4, 0.5, "rank"],
      [7, "3", "held"],
      [9, Number.NaN, "level"],
      [10, null, "staleAfterMs"],
      [14, "king", "standing"],
      [16, -1, "want"],
      [20, [7, 3], "activity"],
    ] as const) {
      const broken = row.map((old, at) => (at === index ? value : old));
      const { code, message } = refusal(() => decodeMember(broken, "key x"));
      expect(code, field).toBe("DT_STORE_DATA");
      expect(message).toMatch(new RegExp(`^key x holds ${field} `));
    }
    for (const broken of [row.slice(1), [...row, 1], undefined, null, "row", {}])
      expect(refusal(() => decodeMember(broken, "key x")).message).toMatch(
        /^key x holds (no row|the format|\d+ fields where 20 belong)/,
      );
  });

  it("text that is no JSON object is refused", () => {
    for (const text of ["", "{", "[]", "null", "7"]) {
      const { code, message } = refusal(() => parseStored(text, "key x"));
      expect(code).toBe("DT_STORE_DATA");
      expect(message).toMatch(/^key x holds /);
    }
    expect(parseStored('{"a":1}', "key x")).toEqual({ a: 1 });
  });
});
