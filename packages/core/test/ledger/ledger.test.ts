import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { MemberRef, Registration, View } from "../../src/index.ts";
import { isDtError } from "../../src/index.ts";
import { deregister, inspect, livenessTime, register, sync } from "../../src/ledger/index.ts";
import { MemoryTable } from "../../src/memory/memory-table.ts";

const STALE_MS = 4_000;

interface Player extends MemberRef {
  seq: number;
  generation: number;
  members: number;
  held: number;
  max: number;
}

/** One random step: who does what after how long, with how much given up. */
const step = fc.record({
  who: fc.nat(5),
  what: fc.constantFrom("join", "sync", "sync", "sync", "sync", "leave", "repeat", "crash", "resize", "clash"),
  waitMs: fc.oneof(
    { weight: 8, arbitrary: fc.nat(900) },
    { weight: 1, arbitrary: fc.nat(20_000) },
    { weight: 1, arbitrary: fc.integer({ min: -60_000, max: -1 }) },
  ),
  keep: fc.double({ min: 0, max: 1, noNaN: true }),
  max: fc.integer({ min: 1, max: 40 }),
});

describe("the ledger, under random joins, leaves, crashes, repeats, clock jumps and changes of capacity", () => {
  it("keeps its aggregates equal to what its rows say, its ranks dense, its time and generation growing, and never raises beyond what is free", () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 5, maxLength: 120 }), (steps) => {
        const table = new MemoryTable();
        const players: (Player | undefined)[] = [];
        let clockMs = 1_000_000;
        let incarnations = 0;
        let generation = 0;
        let timeMs = 0;
        for (const { who, what, waitMs, keep, max } of steps) {
          clockMs += waitMs;
          const before = table.group();
          const heldBefore = before?.held ?? 0;
          const player = players[who];
          let view: View | undefined;
          let claim = 0;
          if (what === "join" && !player) {
            const joining: Player = {
              id: `p${who}`,
              incarnation: `i${incarnations++}`,
              seq: 1,
              generation: 0,
              members: 0,
              held: 0,
              max,
            };
            players[who] = joining;
            view = register(table, registration(joining, 0), clockMs);
            follow(joining, view);
          } else if (what === "clash") {
            try {
              register(
                table,
                {
                  ...registration({ id: "x", incarnation: "x0", seq: 1, generation: 0, members: 0, held: 0, max }, 0),
                  intervalMs: 777,
                },
                clockMs,
              );
              deregister(table, { id: "x", incarnation: "x0" }, { seq: 2, level: null }, clockMs);
            } catch (error) {
              expect(isDtError(error, "DT_INTERVAL_MISMATCH")).toBe(true);
            }
          } else if (player && what === "leave") {
            deregister(table, player, { seq: ++player.seq, level: 1 }, clockMs);
            deregister(table, player, { seq: player.seq, level: 1 }, clockMs);
            players[who] = undefined;
          } else if (player && what === "crash") {
            players[who] = undefined;
          } else if (player && what !== "join") {
            if (what === "resize") player.max = max;
            if (what !== "repeat") player.seq += 1;
            const held = what === "repeat" ? 0 : Math.min(player.held, Math.ceil(player.held * keep));
            view = sync(table, player, { ...player, held, level: 1 }, clockMs);
            if (view.status === "unknown") {
              claim = player.held;
              player.seq += 1;
              view = register(table, { ...registration(player, claim), rejoin: true }, clockMs);
            }
            follow(player, view);
          }
          const row = table.group();
          if (!row) continue;
          const rows = table.members();
          expect(row.memberCount).toBe(rows.length);
          expect(rows.map(({ rank }) => rank)).toEqual(rows.map((_, index) => index));
          expect(row.held).toBe(rows.reduce((sum, { held }) => sum + held, 0));
          expect(row.adopted).toBe(rows.filter((member) => member.generation === row.generation).length);
          expect(row.capacity).toBe(rows.length === 0 ? 0 : Math.min(...rows.map((member) => member.max as number)));
          expect(row.clockErrorMs).toBe(Math.max(0, ...rows.map((member) => member.clockErrorMs)));
          if (rows.length > 0) {
            const staleAges = rows.map((member) => member.staleAfterMs);
            expect(row.quietLimitMs).toBe(Math.min(...staleAges) / 4);
            expect(row.longestStaleMs).toBe(Math.max(...staleAges));
          }
          for (const member of rows) {
            if (view && member.incarnation !== players[who]?.incarnation)
              expect(member.expiresAtMs).toBeGreaterThan(livenessTime(row));
          }
          expect(row.generation).toBeGreaterThanOrEqual(generation);
          expect(row.lastMs).toBeGreaterThanOrEqual(timeMs);
          generation = row.generation;
          timeMs = row.lastMs;
          // Beyond facts (claims, a capacity that fell) and remainders of an agreement, nothing is held that is not
          // there.
          const remainders = row.memberCount;
          expect(row.held).toBeLessThanOrEqual(Math.max(row.capacity, heldBefore) + claim + remainders);
          if (view?.status === "disagree")
            expect(view.held).toBeLessThanOrEqual(
              Math.max(Math.floor(row.capacity / row.memberCount), heldBefore, claim),
            );
          if (view && "held" in view) {
            expect(view.entitled).toBe(Math.min(view.held, Math.floor(row.capacity / row.memberCount)));
            expect((view.fromEpoch - 1) * 1_000).toBeLessThanOrEqual(view.storeTimeMs + view.clockErrorMs);
            expect(view.early).toBeLessThanOrEqual(view.entitled);
          }
          const snapshot = inspect(table, "g", clockMs);
          expect(snapshot.members).toHaveLength(row.memberCount);
        }
      }),
      { numRuns: 400 },
    );
  });

  it("reaches agreement once everybody syncs twice, and then holds no more than an even part and one each", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 100 }), (count, max) => {
        const table = new MemoryTable();
        const players = Array.from(
          { length: count },
          (_, i): Player => ({
            id: `p${i}`,
            incarnation: `i${i}`,
            seq: 1,
            generation: 0,
            members: 0,
            held: 0,
            max,
          }),
        );
        let clockMs = 5_000;
        for (const player of players) follow(player, register(table, registration(player, 0), clockMs++));
        let statuses: string[] = [];
        for (let round = 0; round < 3; round++)
          statuses = players.map((player) => {
            player.seq += 1;
            const view = sync(table, player, { ...player, level: null }, clockMs++);
            follow(player, view);
            return view.status;
          });
        expect(new Set(statuses)).toEqual(new Set(["agree"]));
        expect(players.every(({ held }) => held <= Math.ceil(max / count))).toBe(true);
        const snapshot = inspect(table, "g", clockMs);
        expect(snapshot.adopted).toBe(count);
        expect(snapshot.held).toBe(count * Math.ceil(max / count));
      }),
    );
  });
});

function registration(player: Player, claim: number): Registration {
  return {
    id: player.id,
    incarnation: player.incarnation,
    seq: player.seq,
    rejoin: false,
    claim,
    max: player.max,
    intervalMs: 1_000,
    // Not the same for all: what follows from the smallest and largest must follow their coming and going.
    staleAfterMs: STALE_MS + 500 * (player.incarnation.charCodeAt(1) % 3),
    clockErrorMs: 10 * (player.incarnation.charCodeAt(1) % 4),
    learningMs: 0,
    level: null,
    resumeWithinMs: 1_000,
    observedMs: 0,
  };
}

/** A well-behaved member: adopts what it is told, and drops at once to what it is entitled to. */
function follow(player: Player, view: View): void {
  if (view.status !== "agree" && view.status !== "disagree") return;
  player.held = view.status === "agree" ? view.held : view.entitled;
  player.generation = view.generation;
  player.members = view.members;
}
