import type { Registration, View } from "@dt/core";
import { VirtualRuntime } from "@dt/core/testing";
import { Both } from "@dt-tooling/simulator/ledger-operations";
import { adopting, newcomer } from "@dt-tooling/simulator/requests";
import { expect, test } from "vitest";
import { redis, useServer } from "./support/own-server.ts";
import { ScriptedLedger } from "./support/scripted-ledger.ts";

/**
 * The scripts against the ledger of @dt/core in groups that agree nearly all of the time, where a sync mostly finds
 * nothing to decide: now and then there is something, of every kind, and it must not be overlooked.
 */

useServer();

const START_MS = 4_000_000_000_000;
const OPERATIONS = 500;

interface Member {
  readonly registration: Registration;
  seq: number;
  level: number | null;
  view: View;
}

test.each([1, 2, 3, 4, 5, 6, 7, 8])("over 500 reports of members that agree, seed %i", async (seed) => {
  const chance = new VirtualRuntime({ seed });
  const pick = <T>(...values: readonly T[]): T => values[Math.floor(chance.random() * values.length)] as T;
  const once = (in_: number): boolean => chance.random() < 1 / in_;
  const both = new Both(new ScriptedLedger(redis, `steady-differential-${process.pid}-${seed}`), "g");
  let clockMs = START_MS + seed * 0.137;
  let members: Member[] = [];
  let agreed = 0;
  /** Members may be silent for so long that most syncs do not move them in the sorted set of expiry. */
  const isLong = seed > 6;
  /** Their limit is in the store, where it is changed now and then. */
  const stored = seed % 4 === 3;
  let revision = 0;

  async function join(overrides: Partial<Registration> = {}): Promise<void> {
    const registration = newcomer({
      ...{
        max: 20,
        staleAfterMs: isLong ? pick(8_192, 10_000.5, 10_000.5) : pick(1_000, 1_000, 2_500),
        clockErrorMs: pick(0, 0, 250.5),
        resumeWithinMs: 0,
        stored,
      },
      ...{ learningMs: seed === 6 ? 1_500 : 0, ...overrides },
    });
    const view = await both.register(registration, clockMs);
    members.push({ registration, seq: 1, level: null, view });
  }

  for (let i = 0; i < 2 + (seed % 3); i++) await join();
  for (let i = 0; i < OPERATIONS; i++) {
    clockMs += pick(1, 40.001, 100) * (isLong ? 6 : 1);
    if (once(20)) clockMs += pick(300, 500);
    if (once(50)) clockMs += pick(-300, -3, 5_000, 60_000);
    if (stored && once(40)) {
      const values = pick(JSON.stringify({ max: 20 }), JSON.stringify({ max: 18 }), null);
      const untilMs = values === null ? null : pick(null, clockMs + 900);
      await both.setLimit({ revision: ++revision, values, untilMs, history: "[]" });
    }
    if (members.length < 2 || once(80)) await join(once(2) ? { id: members[0]?.registration.id ?? "one" } : {});
    // One that goes silent has agreed before.
    if (once(80)) members = members.slice(1);
    const member = members[i % members.length] as Member;
    const { registration, view } = member;
    if (!once(20)) member.seq += 1;
    if (once(10)) member.level = pick(null, 0, 3.5);
    const known = "generation" in view ? view : undefined;
    const report = adopting(view, member.seq, {
      ...{ max: 20, stored, level: member.level, observedMs: once(30) ? clockMs + 777.5 : 0 },
      held: Math.max(0, ((view.status === "agree" ? known?.held : known?.entitled) ?? 0) - (once(30) ? 1 : 0)),
      ...(once(100) && { stored: !stored }),
      ...(once(100) && { max: pick(19, 21) }),
      ...(once(30) && { members: 9 }),
      ...(once(30) && { use: { epoch: Math.floor(clockMs / 1_000), used: 3 } }),
      ...(once(100) && { demand: { want: 3, syncMs: 1_000 } }),
      ...(i % 97 === 96 && { pauseMs: 555.5 }),
    });
    const next = await both.sync(registration, report, clockMs, String(i));
    member.view = next;
    if (next.status === "agree") agreed += 1;
    if (next.status === "unknown" || next.status === "fenced") members = members.filter((other) => other !== member);
    await both.look(clockMs, String(i));
  }
  expect(agreed / OPERATIONS).toBeGreaterThan(0.3);
});
