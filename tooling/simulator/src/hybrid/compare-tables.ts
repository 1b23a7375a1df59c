import { type Demand, isDtError, type MemberView, type Report, type Use, type View } from "@dt/core";
import { deregister, inspect, type LedgerTable, type MemberRow, register, sync } from "@dt/core/ledger";
import { Random } from "../random.ts";
import { ReferenceTable } from "../reference-table.ts";

/**
 * A table under test: for each operation a table on what is stored, with those that are stale; then what it changed is
 * stored.
 */
export interface TableUnderTest {
  /** False where what members do (R27) is stored elsewhere. Default true. */
  readonly keepsActivity?: boolean;
  begin(stale: readonly string[]): LedgerTable;
  end(table: LedgerTable): void;
}

interface Player {
  readonly id: string;
  readonly incarnation: string;
  seq: number;
  max: number;
  /** True while it shares by demand. */
  demands: boolean;
  view: MemberView | undefined;
}

/** Stale is who is said to be. */
class ToldTable extends ReferenceTable {
  stale: readonly string[] = [];

  override expired(): readonly MemberRow[] {
    return this.stale.flatMap((incarnation) => this.member(incarnation) ?? []);
  }
}

/**
 * Runs the ledger's operations by chance on the table and on a reference, and gives the first difference between their
 * answers or between the ledgers after an operation, with what was done; undefined when there is none. What is known of
 * freed tokens and of wants is looked at, too; what members do, in the snapshot.
 */
export function compareTables(subject: TableUnderTest, seed: number, steps: number): string | undefined {
  const random = new Random(seed, "tables");
  const reference = new ToldTable();
  const players: Player[] = [];
  let clockMs = 1_000;
  for (let step = 0; step < steps; step++) {
    clockMs += Math.floor(random.between(0, 400));
    const nowMs = clockMs;
    const player = players[Math.floor(random.next() * players.length)];
    const dice = random.next();
    let what: string;
    let operation: (table: LedgerTable) => View | undefined;
    if (!player || dice < 0.2) {
      const id = `p${Math.floor(random.between(0, 6))}`;
      const rejoin = random.chance(0.2);
      const joining = {
        id,
        incarnation: `${id}-${step}`,
        seq: 1,
        max: random.chance(0.7) ? 100 : 30 + step,
        demands: random.chance(0.5),
        view: undefined,
      };
      players.push(joining);
      const registration = {
        ...joining,
        ...{ rejoin, claim: random.chance(0.2) ? 10 : 0, intervalMs: random.chance(0.03) ? 7 : 1_000 },
        ...{
          staleAfterMs: 10_000,
          learningMs: random.chance(0.1) ? 1_000 : 0,
          level: random.chance(0.5) ? step : null,
        },
        ...{ resumeWithinMs: random.chance(0.5) ? 5_000 : 0, observedMs: 0 },
        ...demandOf(random, joining),
      };
      what = `register ${JSON.stringify(registration)}`;
      operation = (table) => register(table, registration, nowMs);
    } else if (dice < 0.28) {
      players.splice(players.indexOf(player), 1);
      const farewell = { seq: player.seq + 1, level: step, ...useOf(random, nowMs, player.view?.held ?? 0) };
      what = `deregister ${player.incarnation} ${JSON.stringify(farewell)}`;
      operation = (table) => void deregister(table, player, farewell, nowMs);
    } else {
      const { generation = 0, members = 0, held = 0, entitled = 0, status } = player.view ?? {};
      if (random.chance(0.9)) player.seq += 1;
      if (random.chance(0.05)) player.max = 40 + (step % 3) * 30;
      if (random.chance(0.05)) player.demands = !player.demands;
      const inUse = status === "agree" ? held : entitled;
      const report = {
        seq: player.seq,
        generation,
        members,
        held: random.chance(0.8) ? inUse : inUse >> 1,
        max: player.max,
        level: step,
        ...useOf(random, nowMs, inUse),
        ...demandOf(random, player),
        ...(subject.keepsActivity !== false && activityOf(random, step)),
        ...(step % 9 === 0 && { pauseMs: step * 7.25 }),
      };
      what = `sync ${player.incarnation} ${JSON.stringify(report)}`;
      operation = (table) => sync(table, player, report, nowMs);
    }
    const stale = random.chance(0.15)
      ? players.filter(() => random.chance(0.3)).map(({ incarnation }) => incarnation)
      : [];
    reference.stale = stale;
    const expected = attempt(() => operation(reference));
    const table = subject.begin(stale);
    const received = attempt(() => operation(table));
    subject.end(table);
    if (player && "view" in expected && expected.view?.status !== "unknown") player.view = expected.view as MemberView;
    const stored = subject.begin([]);
    for (const [one, two] of [
      [expected, received],
      [inspect(reference, "g", nowMs), inspect(stored, "g", nowMs)],
      [freedIn(reference), freedIn(stored)],
      [demandIn(reference), demandIn(stored)],
    ] as const)
      if (JSON.stringify(one) !== JSON.stringify(two))
        return `seed ${seed}, step ${step}, ${what}, stale ${stale}:\n${JSON.stringify(one)}\n${JSON.stringify(two)}`;
  }
  return undefined;
}

/** Often of the epoch that runs or the one before, and no more than is held, or little more. */
function useOf(random: Random, nowMs: number, held: number): { readonly use?: Use } {
  if (random.chance(0.2)) return {};
  const epoch = Math.max(0, Math.floor(nowMs / 1_000) + random.integer(-2, 1));
  return { use: { epoch, used: random.integer(0, held + 3) } };
}

/** What a player that shares by demand wants: often the same as before, since changes are few. */
function demandOf(random: Random, { demands }: Pick<Player, "demands">): { readonly demand?: Demand } {
  if (!demands) return {};
  return { demand: { want: random.chance(0.6) ? 20 : random.integer(0, 60), syncMs: 500 } };
}

/** Now and then nothing. */
function activityOf(random: Random, step: number): Pick<Report, "activity"> {
  return random.chance(0.2) ? {} : { activity: { used: step, waiting: random.integer(0, 9) } };
}

/** What is known of wants, and of whose turn it is. */
function demandIn(table: LedgerTable): readonly unknown[] {
  const { wants, hungryMs } = table.group() ?? {};
  return [
    wants,
    hungryMs,
    table.members().map(({ want, odd, gaveUpMs, restUntilMs }) => [want, odd, gaveUpMs, restUntilMs]),
  ];
}

/** Nothing while that is not known: then it means nothing what was spent. */
function freedIn(table: LedgerTable): readonly number[] {
  const { freedEpoch = null, spent = 0 } = table.group() ?? {};
  return freedEpoch === null ? [] : [freedEpoch, spent];
}

function attempt(operation: () => View | undefined): { readonly view: View | undefined } | { readonly code: string } {
  try {
    return { view: operation() };
  } catch (error) {
    if (isDtError(error)) return { code: error.code };
    throw error;
  }
}
