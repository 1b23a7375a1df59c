import { type Demand, isDtError, type MemberRef, type Use, type View } from "@dt/core";
import { VirtualRuntime } from "@dt/core/testing";
import { Both, type TimedGroups } from "./both.ts";
import { RandomLimits } from "./random-limits.ts";
import { type Reached, reachedBy, reachedIn } from "./reached.ts";

export interface LedgerComparison {
  readonly seed: number;
  readonly operations: number;
  /** About where the clock begins, in milliseconds. */
  readonly startMs: number;
  /** Stale ages of members. Default: of 2.5 to 4 s. */
  readonly staleAges?: readonly number[];
}

interface Member extends MemberRef {
  seq: number;
  view: View | undefined;
  observedMs: number;
  readonly byDemand: boolean;
  /** What it wants mostly. */
  readonly want: number;
}

/**
 * Runs the same random operations at the same times on a store and on the ledger of `@dt/core`, and compares every
 * answer to the last digit, and after every other operation what the group holds.
 * @throws AssertionError with both answers
 */
export async function compareLedgers(groups: TimedGroups, options: LedgerComparison): Promise<ReadonlySet<Reached>> {
  const { seed, operations, startMs, staleAges = [4_000, 4_000.5, 2_500] } = options;
  const chance = new VirtualRuntime({ seed });
  const pick = <T>(...values: readonly T[]): T => values[Math.floor(chance.random() * values.length)] as T;
  const both = new Both(groups, `random-${seed}`);
  const limits = new RandomLimits(groups, seed);
  const reached = new Set<Reached>();
  const members: Member[] = [];
  const learningMs = pick(0, 0, 1_500, 5_000);
  // In three groups of four some members share by demand, or all do. In those few come or go, and the tokens are too
  // few for all, so that there is time for turns.
  const byDemand = [0, 0.5, 0.8, 1][seed % 4] as number;
  const calm = byDemand === 1;
  const usualMax = calm ? pick(5, 11, 20) : pick(20, 64, 130, 1_000);
  let clockMs = startMs + Math.floor(chance.random() * 1e6) / 1_000;
  let incarnations = 0;
  await both.setDataSince(clockMs - pick(0, 700.125, 3_000, 10_000, startMs, -4_000));

  /** What a member says it used: mostly in the epoch that runs, and up to a little more than it held. */
  const useOf = ({ view }: Member): { readonly use?: Use } => {
    if (chance.random() < 0.25) return {};
    const epoch = Math.floor(clockMs / 1_000) + pick(0, 0, 0, -1, 1, -7_000);
    const held = view !== undefined && "held" in view ? view.held : 0;
    return { use: { epoch, used: pick(0, held, Math.floor(chance.random() * (held + 3))) } };
  };

  /** Who shares by demand wants now nothing, now a little, now more than there is; a few change their minds. */
  const demandOf = (member: Member): { readonly demand?: Demand } => {
    if (member.byDemand === chance.random() < 0.06) return {};
    const want = chance.random() < (calm ? 0.97 : 0.7) ? member.want : pick(0, 0, 1, 3, 7, 17, 33, 50, 997, 1e12);
    return { demand: { want, syncMs: pick(1_000, 1_000, 250.5) } };
  };

  /** What a member of a calm group goes on with: what it is due, and for some time an odd token. */
  const keptBy = ({ view }: Member): number => {
    if (view === undefined || !("held" in view)) return 0;
    const { entitled, demand } = view;
    return demand ? Math.min(entitled, demand.waterLevel + (demand.odd && chance.random() < 0.7 ? 1 : 0)) : entitled;
  };

  /** Notes what the operation came to; a refusal is no failure. */
  const note = async (self: Member, operation: Promise<View>): Promise<void> => {
    const answer = await operation.catch((error: unknown) => {
      if (!isDtError(error)) throw error;
      return error;
    });
    for (const what of reachedBy(answer)) reached.add(what);
    if (isDtError(answer)) return;
    self.view = answer;
    self.observedMs = Math.max(self.observedMs, answer.storeTimeMs);
  };

  const join = (member: Member | undefined, what: string): Promise<void> => {
    const rejoin = member !== undefined && chance.random() < 0.4;
    const self: Member = rejoin
      ? member
      : {
          id: `p${Math.floor(chance.random() * 8)}`,
          incarnation: `b${incarnations++}`,
          seq: 0,
          view: undefined,
          observedMs: 0,
          byDemand: chance.random() < byDemand,
          want: calm ? pick(2, 3, 4, 5, 33) : pick(0, 0, 1, 3, 7, 15, 17, 33, 50, 997),
        };
    if (!rejoin) members.push(self);
    const registration = {
      id: self.id,
      incarnation: self.incarnation,
      seq: ++self.seq,
      rejoin,
      claim: rejoin ? pick(0, 1, 7) : 0,
      max: calm ? usualMax : pick(usualMax, usualMax, usualMax, usualMax + 1, 5, 1e12),
      ...limits.stored(self.incarnation),
      intervalMs: chance.random() < 0.03 ? 2_000 : 1_000,
      staleAfterMs: pick(...staleAges),
      ...pick({}, { clockErrorMs: 0 }, { clockErrorMs: 250 }, { clockErrorMs: 10.0625 }),
      learningMs,
      level: pick(null, 0, 3.3333333333333335, 1e-9, 5e-324),
      resumeWithinMs: pick(0, 8_000, 700.25),
      observedMs: self.observedMs + pick(0, 0, 0, 0, 777.5),
      ...demandOf(self),
    };
    return note(self, both.register(registration, clockMs, what));
  };

  const report = (member: Member, i: number, what: string): Promise<void> => {
    const { view } = member;
    const repeat = chance.random() < 0.05;
    if (!repeat) member.seq += pick(1, 1, 1, 3);
    const known = view !== undefined && "generation" in view ? view : undefined;
    const given = pick(0, 0, 0, 0, 1, 5, 99);
    const said = {
      seq: repeat ? Math.max(1, member.seq - pick(0, 1)) : member.seq,
      generation: chance.random() < 0.1 ? 17 : (known?.generation ?? 0),
      members: known?.members ?? 0,
      held: calm
        ? keptBy(member)
        : Math.max(0, (known?.[pick("entitled", "entitled", "entitled", "held")] ?? 0) - given),
      max: chance.random() < (calm ? 0 : 0.03) ? pick(10, 30, 100) : usualMax,
      ...limits.stored(member.incarnation),
      level: pick(null, 4.4, 12),
      observedMs: member.observedMs + pick(0, 0, 0, 0, 0, 333.25),
      ...useOf(member),
      ...demandOf(member),
      ...(i % 5 === 0 ? {} : { activity: { used: i % 7 === 0 ? 1e12 : i, waiting: i % 3 } }),
      // Short ones, since a pause only grows; now and then one that is cut to a day.
      ...(i % 11 === 0 && { pauseMs: i % 253 === 0 ? 2e8 : (i % 7) * 333.0625 }),
    };
    return note(member, both.sync(member, said, clockMs, what));
  };

  const leave = (member: Member, what: string): Promise<void> => {
    const farewell = {
      seq: ++member.seq,
      level: pick(null, 9.75),
      observedMs: member.observedMs + pick(0, 0, 42),
      ...useOf(member),
    };
    return both.deregister(member, farewell, clockMs, what);
  };

  for (let i = 0; i < operations; i++) {
    const what = `seed ${seed}, operation ${i}`;
    clockMs += calm ? pick(0.137, 90.001, 90.001, 250) : pick(0, 0.137, 3.5, 90.001, 400, 400, 1_100, 2_600);
    if (chance.random() < (calm ? 0 : 0.02)) clockMs += pick(-50_000, 60_000, -3, 0.5, 6_000_000);
    if (groups.loseData && chance.random() < 0.01) await both.loseData();
    const record = limits.next(clockMs);
    if (record) await both.setLimit(record);
    const action = chance.random();
    // Those who came last are the ones whose ids are contested.
    const member = chance.random() < 0.6 ? pick(...members.slice(-5)) : pick(...members);
    if (member === undefined || action < (calm ? 0.02 : 0.12)) await join(member, what);
    else if (action < 0.85) await report(member, i, what);
    else if (action < (calm ? 0.86 : 0.92)) await leave(member, what);
    // A state that differs stays so: it is looked at after every other operation.
    if (i % 2 === 1) for (const seen of reachedIn(await both.look(clockMs, what))) reached.add(seen);
  }
  return reached;
}
