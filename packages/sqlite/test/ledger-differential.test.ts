import { DatabaseSync } from "node:sqlite";
import {
  type Demand,
  isDtError,
  type MemberView,
  type RefusedView,
  type Registration,
  type Report,
  type Use,
  type View,
} from "@dt/core";
import { deregister, type LedgerTable, register, sync } from "@dt/core/ledger";
import { Random } from "@dt-tooling/worlds/random";
import { ReferenceTable } from "@dt-tooling/worlds/reference-table";
import { newcomer } from "@dt-tooling/worlds/requests";
import { expect, it } from "vitest";
import { migrate } from "../src/schema.ts";
import { SqliteTable } from "../src/sqlite-table.ts";
import { prepareStatements } from "../src/statements.ts";
import { Sandbox } from "./support/sandbox.ts";

/**
 * The ledger on a file against the ledger on plain maps: the same random operations at the same times must give the
 * same answers and rows.
 */

const sandbox = new Sandbox();

const START_MS = 1_800_000_000_000.25;
const SEEDS = Array.from({ length: 16 }, (_, i) => i + 1);
/** Over all seeds: what was never reached was never compared. */
const seen = new Set<string>();

interface Player {
  readonly registration: Registration;
  readonly byDemand: boolean;
  seq: number;
  view: Partial<MemberView> | RefusedView;
}

it.each(SEEDS)("a file is as good as plain maps, seed %i", (seed) => {
  const random = new Random(seed, "sqlite");
  const path = sandbox.path();
  const database = new DatabaseSync(path);
  migrate(database, path);
  // Thousands of operations, of which none must outlive the machine.
  database.exec("PRAGMA synchronous = OFF");
  const statements = prepareStatements(database);
  const reference = new ReferenceTable();
  const players: Player[] = [];
  let clockMs = START_MS;
  for (let step = 0; step < 250; step++) {
    clockMs += random.pick([0.5, 3.125, 90, 90, 400, 1_100, 2_600]);
    if (random.chance(0.02)) clockMs += random.pick([-50_000, 60_000]);
    const player = playerFor(random, players, seed % 4 < 2 ? 0 : 0.6);
    const operation = randomOperation(random, player, clockMs);
    const expected = outcome(() => operation(reference));
    const actual = outcome(() => operation(new SqliteTable(statements, "g")));
    expect(actual, `step ${step}`).toEqual(expected);
    expect(rowsOf(new SqliteTable(statements, "g")), `step ${step}`).toEqual(rowsOf(reference));
    if (typeof expected === "object") player.view = expected;
    note(expected);
  }
  database.close();
});

it("every kind of answer was among them, and raises that begin early, in part and later", () => {
  expect([...seen].sort()).toEqual([
    ...["DT_INTERVAL_MISMATCH", "agree", "all early", "disagree", "fenced", "later", "left", "some early", "unknown"],
  ]);
});

/** One of the few who came last, or somebody new. */
function playerFor(random: Random, players: Player[], byDemand: number): Player {
  if (players.length > 0 && random.chance(0.9)) return random.pick(players.slice(-4));
  const registration = newcomer({
    id: `p${random.integer(0, 3)}`,
    max: random.pick([20, 20, 21, 5]),
    intervalMs: random.pick([1_000, 1_000, 1_000, 1_000, 1_000, 2_000]),
    staleAfterMs: random.pick([8_000, 8_000.5, 4_000]),
    learningMs: random.pick([0, 0, 0, 1_500]),
    clockErrorMs: random.pick([0, 0, 250.5]),
    resumeWithinMs: random.pick([0, 8_000]),
    level: random.pick([null, 3.3333333333333335]),
  });
  const player = { registration, byDemand: random.chance(byDemand), seq: 0, view: {} };
  players.push(player);
  return player;
}

function randomOperation(random: Random, player: Player, clockMs: number): (table: LedgerTable) => View | "left" {
  const { registration } = player;
  const { storeTimeMs = 0, ...view } = player.view;
  const { generation = 0, poolSize = 0, held = 0, entitled = 0 } = "generation" in view ? view : {};
  player.seq += random.pick([0, 1, 1, 1, 1, 1, 1, 1]);
  const seq = Math.max(1, player.seq);
  const dice = random.next();
  if (player.seq <= 1 || dice < 0.05) {
    const rejoin = random.chance(0.3);
    const claim = random.pick([0, held]);
    const again = {
      ...registration,
      seq,
      rejoin,
      claim,
      observedMs: storeTimeMs,
      ...demandOf(random, player),
    };
    return (table) => register(table, again, clockMs);
  }
  const use = useOf(random, held, clockMs);
  const said = { seq, level: random.pick([null, 12.5]), observedMs: storeTimeMs, ...(use && { use }) };
  if (dice < 0.12)
    return (table) => {
      deregister(table, registration, said, clockMs);
      return "left";
    };
  const report = {
    ...said,
    ...{ generation, poolSize, held: random.pick([entitled, entitled, entitled, held, entitled >> 1]) },
    max: random.chance(0.95) ? registration.max : 10,
    ...demandOf(random, player),
    ...activityOf(random),
  };
  return (table) => sync(table, registration, report, clockMs);
}

/** Who shares by demand wants now nothing, now a little, now more than there is; a few change their minds. */
function demandOf(random: Random, { byDemand }: Player): { readonly demand?: Demand } {
  if (byDemand === random.chance(0.03)) return {};
  return {
    demand: { want: random.pick([0, 0, 1, 3, 7, 7, 17, 33, 1e12]), syncMs: random.pick([1_000, 1_000, 250.5]) },
  };
}

/** Sometimes nothing. */
function activityOf(random: Random): Pick<Report, "activity"> {
  if (random.chance(0.2)) return {};
  return { activity: { used: random.pick([0, 7, 1e12]), waiting: random.pick([0, 0, 3, 1e12]) } };
}

/** Mostly of the epoch that runs, or the one before; up to a little more than can be. */
function useOf(random: Random, held: number, clockMs: number): Use | undefined {
  if (random.chance(0.15)) return undefined;
  const epoch = Math.floor(clockMs / 1_000) + random.pick([0, 0, 0, 0, -1, -1, 1, -40]);
  return { epoch, used: random.integer(0, held + 2) };
}

function outcome(run: () => View | "left"): View | string {
  try {
    return run();
  } catch (error) {
    if (isDtError(error)) return error.code;
    throw error;
  }
}

function rowsOf(table: LedgerTable): unknown {
  return { group: table.group(), members: table.members() };
}

function note(answer: View | string): void {
  seen.add(typeof answer === "string" ? answer : answer.status);
  if (typeof answer === "string" || !("early" in answer) || answer.entitled === 0) return;
  seen.add(answer.early === 0 ? "later" : answer.early < answer.entitled ? "some early" : "all early");
}
