import { describe, expect, it } from "vitest";
import { counted, placeOnGrid, type Wants, wantOnGrid, wantsOf } from "../../src/ledger/wants.ts";
import { divide, needOf } from "../../src/ledger/water-level.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";

const random = new VirtualRuntime({ seed: 5 });
const below = (n: number): number => Math.floor(random.random() * n);

describe("wants on the grid", () => {
  it("are exact to 16, then 8 to an octave, rounded up", () => {
    expect([0, 1, 15, 16, 17, 30, 31, 33, 63, 65, 1_000].map(wantOnGrid)).toEqual([
      0, 1, 15, 16, 18, 30, 32, 36, 64, 72, 1_024,
    ]);
  });

  it("are at most an eighth above what is wanted, and on the grid stay where they are", () => {
    for (const tokens of [...Array(3_000).keys(), 1e6 + 1, 1e9 - 1, 1e12]) {
      const want = wantOnGrid(tokens);
      expect(want).toBeGreaterThanOrEqual(tokens);
      expect(want).toBeLessThanOrEqual(Math.max(tokens, tokens * 1.125));
      expect(wantOnGrid(want)).toBe(want);
    }
  });

  it("have places that follow each other", () => {
    const wants = [...new Set([...Array(5_000).keys()].map(wantOnGrid))];
    expect(wants.map(placeOnGrid)).toEqual(wants.map((_, place) => place));
  });

  it("are counted up and down, in order, and nobody's want is no entry", () => {
    let wants: Wants = [];
    const members: { want: number | null }[] = [];
    for (let step = 0; step < 2_000; step++) {
      const leaves = members.length > 0 && random.random() < 0.45;
      const member = leaves ? members.splice(below(members.length), 1)[0] : { want: below(5) === 0 ? null : below(9) };
      if (!leaves) members.push(member as { want: number | null });
      wants = counted(wants, member?.want ?? null, leaves ? -1 : 1);
      expect(wants).toEqual(wantsOf(members));
    }
  });
});

/** Hands tokens out one by one, each to one of those that have least of what they still want. */
function filled(tokens: number, dues: readonly number[]): readonly number[] {
  const parts = dues.map(() => 0);
  for (let left = tokens; left > 0; left--) {
    const wanting = parts.flatMap((part, place) => (part < (dues[place] as number) ? [{ part, place }] : []));
    const [poorest] = wanting.sort((a, b) => a.part - b.part);
    if (!poorest) break;
    parts[poorest.place] = poorest.part + 1;
  }
  return parts;
}

it("the water level is where tokens end up that are handed out one by one to whoever has least", () => {
  for (let world = 0; world < 500; world++) {
    const capacity = 1 + below(120);
    const evens = below(3);
    const wants = Array.from({ length: 1 + below(8) }, () => wantOnGrid(below(2) === 0 ? below(4) : below(60)));
    const memberCount = wants.length + evens;
    const row = { capacity, memberCount, wants: wantsOf(wants.map((want) => ({ want }))) };
    const division = divide(row);
    // Where the even part is 0, who shares evenly counts as wanting one.
    const all = capacity < memberCount ? [...wants, ...Array.from({ length: evens }, () => 1)] : wants;
    const dues = all.map((want) => Math.max(division.reserve, Math.min(capacity, want)));
    const tokens = capacity - division.float - evens * Math.floor(capacity / memberCount);
    const parts = filled(tokens, dues);
    const sum = dues.reduce((total, due) => total + due, 0);
    expect(division.scarce).toBe(sum > tokens);
    const needs = all.map((want) => needOf(division, want)).sort((a, b) => a - b);
    const rest = tokens - needs.reduce((total, need) => total + need, 0);
    expect(rest).toBe(division.scarce ? division.odd : division.spare);
    // What is handed out one by one differs by the odd tokens alone.
    const sorted = [...parts].sort((a, b) => a - b);
    const more = sorted.map((part, place) => part - (needs[place] as number));
    expect(more.every((tokensMore) => tokensMore === 0 || tokensMore === 1)).toBe(true);
    expect(more.reduce((total, one) => total + one, 0)).toBe(division.scarce ? division.odd : 0);
  }
});

describe("of a hundred tokens", () => {
  const of = (memberCount: number, wants: Wants, capacity = 100) => divide({ capacity, memberCount, wants });

  it("a fiftieth is kept for the idle, as a reserve for each where there is one for each", () => {
    expect(of(2, [[0, 2]])).toMatchObject({ reserve: 1, float: 0 });
    expect(
      of(3, [
        [0, 1],
        [200, 2],
      ]),
    ).toMatchObject({ reserve: 0, float: 1, scarce: true, waterLevel: 49, odd: 1 });
    expect(of(3, [[200, 3]])).toMatchObject({ reserve: 0, float: 0, waterLevel: 33, odd: 1, takers: 3 });
  });

  it("half of what nobody wants is handed out on top", () => {
    expect(of(4, [[10, 4]])).toMatchObject({ scarce: false, waterLevel: 100, spare: 60, extra: 7 });
  });

  it("those that share evenly have their part first", () => {
    expect(of(4, [[200, 1]])).toMatchObject({ scarce: true, waterLevel: 25, takers: 1 });
    expect(of(1, [], 7)).toMatchObject({ scarce: false, waterLevel: 7 });
  });
});
