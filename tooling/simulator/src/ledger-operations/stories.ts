import { deepStrictEqual, ok } from "node:assert/strict";
import type { MemberView, Registration, View } from "@dt/core";
import { VirtualRuntime } from "@dt/core/testing";
import { accepted, adopting, newcomer } from "../requests.ts";
import { Both, type TimedGroups } from "./both.ts";

export interface Turns {
  readonly size: number;
  readonly max: number;
  /** How many of them share by demand, the others evenly. */
  readonly demanding: number;
  readonly reports: number;
  readonly startMs: number;
}

/**
 * Members that take turns at few tokens. Those that share by demand come down to the level, with an odd token for an
 * interval, as members do, and now and then want nothing; the others use what they have, or nothing.
 * @throws AssertionError where answers differ, or nearly all members never had a turn
 */
export async function compareTurns(groups: TimedGroups, turns: Turns): Promise<void> {
  const { size, max, demanding, reports, startMs } = turns;
  const chance = new VirtualRuntime({ seed: size * max });
  const both = new Both(groups, `turns-${size}-${max}-${demanding}`);
  const demand = { want: max, syncMs: 1_000 };
  await both.setDataSince(0);
  const members = Array.from({ length: size }, (_, at) =>
    newcomer({ max, staleAfterMs: 600_000, ...(at < demanding && { demand }) }),
  );
  const views: MemberView[] = [];
  for (const member of members) views.push(accepted(await both.register(member, startMs)));
  const had = new Set<number>();
  for (let i = 0; i < reports; i++) {
    const at = i % size;
    const [member, view] = [members[at] as Registration, views[at] as MemberView];
    const clockMs = startMs + 1_000 + Math.floor(((i + chance.random()) * 1_000) / size);
    if (size === demanding ? view.demand?.odd : view.entitled > 0) had.add(at);
    const epoch = Math.floor(clockMs / 1_000);
    const keptOdd = view.demand?.odd && Math.floor(i / size) % 3 === 0 ? 1 : 0;
    const wanting = chance.random() < 0.1 ? { ...demand, want: 0 } : demand;
    const report = adopting(view, i + 2, {
      ...(at < demanding && { demand: wanting, held: Math.min(view.held, (view.demand?.waterLevel ?? 0) + keptOdd) }),
      use: { epoch, used: chance.random() < 0.7 ? view.held : 0 },
    });
    views[at] = accepted(await both.sync(member, report, clockMs, `report ${i}`));
  }
  ok(had.size > (size === demanding ? 1 : size - 2), `${had.size} of ${size} members had a turn`);
}

/**
 * More members die than one operation removes; a survivor goes on every two seconds, and afterwards one comes back.
 * @param staleAfterMs of each of them
 * @returns the member count after each of the survivor's reports
 */
export async function compareMassDeath(
  groups: TimedGroups,
  startMs: number,
  group: string,
  staleAfterMs: (place: number) => number,
): Promise<number[]> {
  const both = new Both(groups, group);
  await both.setDataSince(0);
  const dead = Array.from({ length: 1_150 }, (_, place) =>
    newcomer({ max: 5_000, level: 1, resumeWithinMs: 60_000, staleAfterMs: staleAfterMs(place) }),
  );
  const survivor = newcomer({ max: 5_000, staleAfterMs: 100_000 });
  let view: View | undefined;
  for (const registration of [...dead, survivor]) view = await both.register(registration, startMs);
  const sizes: number[] = [];
  for (let seq = 2; seq < 9; seq++) {
    view = await both.sync(survivor, adopting(view as View, seq), startMs + seq * 2_000);
    sizes.push(accepted(view).members);
  }
  const again = newcomer({ id: dead[1_100]?.id ?? "" });
  const { resumeLevel } = accepted(await both.register(again, startMs + 20_000));
  deepStrictEqual(resumeLevel, 1, "the level of one that died is remembered");
  return sizes;
}
