import {
  decodeGroup,
  decodeMember,
  encodeGroup,
  encodeMember,
  type GroupBeside,
  groupBeside,
  parseStored,
} from "@dt/cas";
import {
  activityBeside,
  freedBeside,
  type GroupRow,
  type MemberRow,
  memberBeside,
  NOTHING_BESIDE,
  wantsBeside,
} from "@dt/core/ledger";
import { describe, expect, it } from "vitest";

const group: GroupRow = {
  ...{ generation: 12_345, poolSize: 2, held: 7, adopted: 1, capacity: 9, largestPoolSize: 3, intervalMs: 250.5 },
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
  },
};
const member: MemberRow = {
  ...{ id: "日本", incarnation: "boot", seq: 4, rank: 1, generation: 12_345, poolSize: 2, held: 3, max: 9 },
  ...{
    level: null,
    staleAfterMs: 10_000,
    clockErrorMs: 2.5,
    resumeWithinMs: 0,
    expiresAtMs: 12.125,
    standing: "holder",
    joined: 7,
  },
  ...NOTHING_BESIDE,
  activity: null,
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
    for (const row of [group, { ...group, wants: [], hungryMs: null }, { ...group, wants: null, hungryMs: null }])
      expect(decodeGroup(through(encodeGroup(row)), through(groupBeside(row)) as GroupBeside, "here")).toEqual(row);
    const leveled = { ...member, level: 12.625, standing: "fenced" as const };
    for (const row of [member, leveled, { ...member, want: 0 }, { ...member, ...turned }])
      expect(decodeMember(through(encodeMember(row)), { demand: through(memberBeside(row)) }, "here")).toEqual(row);
    for (const activity of [null, { used: 0, waiting: 7 }]) {
      const row = { ...member, ...turned, activity };
      const beside = { demand: through(memberBeside(row)), activity: through(activityBeside(row)) };
      expect(decodeMember(through(encodeMember(row)), beside, "here")).toEqual(row);
    }
  });

  it("of a group do not say which tokens were freed where that does not stand beside them, or beside others", () => {
    const unknown = { ...group, freedEpoch: null, spent: 0 };
    const others = { ...group, held: 8 };
    const wants = wantsBeside(group);
    for (const freed of [undefined, null, "4", [], freedBeside(others), freedBeside({ ...group, spent: -1 })])
      expect(decodeGroup(encodeGroup(group), { freed, wants }, "here")).toEqual(unknown);
  });

  it("of a group do not say what is wanted where that does not stand beside them, or beside others, or cannot be", () => {
    const unknown = { ...group, wants: null, hungryMs: null };
    const { generation: now } = group;
    for (const wants of [
      ...[undefined, null, "4", {}, [], wantsBeside({ ...group, generation: now - 1 }), [now], [now, 1, 2]],
      ...[
        [now, "soon", 2, 1],
        [now, 1, 2, 0],
        [now, 1, 2, -1],
        [now, 1, 2.5, 1],
        [now, 1, 4, 1, 2, 1],
      ],
      ...[
        [now, 1, 4, 1, 4, 1],
        [now, 1, Number.NaN, 1],
        [now, 1, null, 1],
        [now, 1, "4", "1"],
        [String(now), 1, 4, 1],
      ],
    ])
      expect(decodeGroup(encodeGroup(group), { freed: freedBeside(group), wants }, "here")).toEqual(unknown);
  });

  it("of a member share evenly where no demand stands beside them, or none that can be", () => {
    for (const demand of [
      ...[undefined, null, 7, "7", {}, [], [7], [7, 0, 0], [7, 0, 0, 0, 0], [-1, 0, 0, 0], [0.5, 0, 0, 0]],
      ...[
        ["7", 0, 0, 0],
        [null, 0, 0, 0],
        [7, 0, "now", 0],
        [7, 0, 0, null],
        [2 ** 53, 0, 0, 0],
      ],
    ])
      expect(decodeMember(encodeMember(member), { demand }, "here")).toEqual(member);
    expect(decodeMember(encodeMember(member), { demand: [7, "yes", 1, 2] }, "here")).toMatchObject({
      want: 7,
      odd: false,
    });
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
    ] as const) {
      const broken = row.map((old, at) => (at === index ? value : old));
      const { code, message } = refusal(() => decodeMember(broken, {}, "key x"));
      expect(code, field).toBe("DT_STORE_DATA");
      expect(message).toMatch(new RegExp(`^key x holds ${field} `));
    }
    for (const broken of [row.slice(1), [...row, 1], undefined, null, "row", {}])
      expect(refusal(() => decodeMember(broken, {}, "key x")).message).toMatch(
        /^key x holds (no row|the format version|\d+ fields where 15 belong)/,
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
