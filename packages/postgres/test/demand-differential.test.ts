import { demandRaise, divide, type GroupRow, type MemberRow, wantOnGrid } from "@dt/core/ledger";
import { Random } from "@dt-tooling/simulator/random";
import { beforeEach, describe, expect, test } from "vitest";
import { admin, openPatientStore, schema, useOwnServer } from "./support/own-server.ts";

/**
 * The arithmetic of shares by demand against that of @dt/core, on rows as no schedule of operations brings them about:
 * many members, large numbers, much that is just at its bounds.
 */

useOwnServer();

beforeEach(async () => {
  await openPatientStore().inspect("g");
});

const ROWS = 4_000;
const NOW_MS = 1_800_000_000_000;

type Wanting = Pick<
  GroupRow,
  "capacity" | "memberCount" | "held" | "wants" | "hungryMs" | "lastMs" | "lapsedMs" | "learnUntilMs" | "intervalMs"
>;

function randomGroup(random: Random): Wanting {
  const capacity = random.pick([1, 5, 20, 49, 50, 1_000, 1e12, random.integer(1, 200), random.integer(1, 1e6)]);
  const most = random.pick([3, 3, 8, 1_000_000]);
  const different = new Set(Array.from({ length: random.integer(0, 12) }, () => randomWant(random, capacity)));
  const wants = [...different].sort((a, b) => a - b).map((want) => [want, random.integer(1, most)] as const);
  const wanting = wants.reduce((sum, [, members]) => sum + members, 0);
  const memberCount = Math.max(1, wanting + random.pick([0, 0, random.integer(0, most)]));
  const { waterLevel } = divide({ capacity, memberCount, wants });
  const held = capacity - random.pick([0, 1, 1, 2, 5, -1, capacity, Math.min(capacity, waterLevel)]);
  const hungryMs = random.pick([null, null, NOW_MS, NOW_MS - 475, NOW_MS - 475.05, NOW_MS - 474.95, NOW_MS - 9_000]);
  const learnUntilMs = random.pick([0, 0, 0, 0, 0, NOW_MS, NOW_MS + 0.25]);
  return { capacity, memberCount, held, wants, hungryMs, lastMs: NOW_MS, lapsedMs: 0, learnUntilMs, intervalMs: 1_000 };
}

function randomWant(random: Random, capacity: number): number {
  const some = [0, 1, 2, 3, 5, 15, 16, 17, 1e12, capacity, capacity + 1, Math.floor(capacity / 5)];
  return wantOnGrid(random.pick([...some, random.integer(0, 2 * capacity)]));
}

function randomMember(random: Random, group: Wanting): Pick<MemberRow, "want" | "held" | "restUntilMs" | "gaveUpMs"> {
  const { waterLevel, reserve } = divide(group);
  const want = random.pick([waterLevel, waterLevel + 1, ...group.wants.map(([one]) => one)]);
  const held = random.pick([
    0,
    waterLevel,
    waterLevel,
    reserve,
    want,
    waterLevel - 1,
    waterLevel + 1,
    random.integer(0, waterLevel),
  ]);
  const restUntilMs = random.pick([0, NOW_MS, NOW_MS + 1]);
  return { want, held: Math.max(0, held), restUntilMs, gaveUpMs: random.pick([0, NOW_MS - 1_000, NOW_MS - 999]) };
}

/** As the columns are called. */
function columnsOf(row: object): Record<string, unknown> {
  const named = Object.entries(row).map(([name, value]) => [
    name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    name === "wants" ? value.flat() : value,
  ]);
  return Object.fromEntries(named);
}

describe("the server computes as @dt/core does", () => {
  test("the water level and all that goes with it", async () => {
    const random = new Random(1, "levels");
    const groups = Array.from({ length: ROWS }, () => randomGroup(random));
    const rows = await admin.rows(
      `SELECT to_jsonb(${schema}.dt_divide(jsonb_populate_record(NULL::${schema}.dt_ledger, g))) AS water
     FROM jsonb_array_elements($1) WITH ORDINALITY AS groups (g, place) ORDER BY place`,
      [JSON.stringify(groups.map(columnsOf))],
    );
    const named = rows.map(({ water }) => {
      const { kept: float, water_level: waterLevel, ...rest } = water as Record<string, unknown>;
      return { float, waterLevel, ...rest };
    });
    const expected = groups.map(divide);
    for (const [i, row] of named.entries()) expect(row, JSON.stringify(groups[i])).toMatchObject({ ...expected[i] });
    expect(expected.filter(({ scarce }) => scarce).length).toBeGreaterThan(ROWS / 5);
    expect(expected.filter(({ float }) => float > 0).length).toBeGreaterThan(ROWS / 100);
  });

  test("raises, with and without an odd token", async () => {
    const random = new Random(2, "raises");
    const asked = Array.from({ length: ROWS }, () => {
      const group = randomGroup(random);
      const unspent = random.pick([0, 1, Math.max(0, group.capacity - group.held)]);
      return { group, member: randomMember(random, group), unspent, syncMs: 250 };
    });
    const rows = await admin.rows(
      `SELECT r.tokens::float8, r.odd FROM jsonb_array_elements($1) WITH ORDINALITY AS asked (a, place)
     CROSS JOIN LATERAL (SELECT jsonb_populate_record(NULL::${schema}.dt_ledger, a -> 'group') AS g,
       jsonb_populate_record(NULL::${schema}.dt_member, a -> 'member') AS m) AS rows
     CROSS JOIN LATERAL ${schema}.dt_demand_raise(
       g, m, ${schema}.dt_divide(g), (a ->> 'unspent')::bigint, (a ->> 'syncMs')::float8) AS r ORDER BY place`,
      [
        JSON.stringify(
          asked.map(({ group, member, ...rest }) => ({ group: columnsOf(group), member: columnsOf(member), ...rest })),
        ),
      ],
    );
    let odd = 0;
    for (const [i, { group, member, unspent, syncMs }] of asked.entries()) {
      const expected = demandRaise(group as GroupRow, member as MemberRow, unspent, syncMs);
      expect(rows[i], JSON.stringify(asked[i])).toEqual(expected);
      if (expected.odd) odd += 1;
    }
    expect(odd).toBeGreaterThan(ROWS / 100);
  });

  test.each([
    [15, 15, false],
    [15, 14, true],
    [16, 15, false],
    [16, 14, true],
    [64, 60, false],
    [64, 59, true],
  ])("hunger: of %i needed, %i held", async (need, held, noted) => {
    const group = `jsonb_populate_record(NULL::${schema}.dt_ledger, '{"last_ms": 9, "lapsed_ms": 0, "learn_until_ms": 0}')`;
    const [row] = await admin.rows(`SELECT ${schema}.dt_hunger(${group}, ${held}, ${need}, 1000) AS at`);
    expect(row).toEqual({ at: noted ? 9 : null });
  });

  test("the grid, and the counts as members come, go and change their minds", async () => {
    const tokens = [...Array(300).keys(), 999, 1_000, 1e6 + 1, 2 ** 39, 2 ** 39 + 1, 1e12 - 1, 1e12];
    const [grid] = await admin.rows(
      `SELECT array_agg(${schema}.dt_want_on_grid(tokens)::float8 ORDER BY place) AS wants
     FROM unnest($1::bigint[]) WITH ORDINALITY AS asked (tokens, place)`,
      [tokens],
    );
    expect(grid).toEqual({ wants: tokens.map(wantOnGrid) });

    const random = new Random(3, "counts");
    const counts = new Map<number, number>();
    let wants: unknown = [];
    for (let i = 0; i < 300; i++) {
      const want = random.integer(0, 12);
      const by = random.pick([1, 1, -1]);
      const [row] = await admin.rows(`SELECT ${schema}.dt_counted($1::bigint[], $2, $3)::float8[] AS wants`, [
        wants,
        want,
        by,
      ]);
      wants = (row as { wants: unknown }).wants;
      counts.set(want, Math.max(0, (counts.get(want) ?? 0) + by));
      const expected = [...counts].filter(([, members]) => members > 0).sort(([a], [b]) => a - b);
      expect(wants, `step ${i}`).toEqual(expected.flat());
    }
  });
});
