import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import type { Throttle } from "@dt/core";
import type { RunOptions } from "../benchmark.ts";
import { type CommandStat, commandStats, startOwnRedis } from "../stores/own-redis.ts";
import { PLENTY } from "./candidate.ts";

/** What Redis counted in a stretch of time. */
export interface Stretch {
  readonly seconds: number;
  /** Tokens granted meanwhile, one at a time. */
  readonly grants: number;
  /** Commands that came from the client: scripts, one for each sync. */
  readonly scripts: number;
  /** All commands executed, those inside scripts included, by name. */
  readonly commands: Readonly<Record<string, number>>;
}

/** The same throttle doing nothing, and granting as fast as it can. */
export interface StoreCommandFigures {
  readonly configuration: string;
  readonly idle: Stretch;
  readonly granting: Stretch;
}

/** Grants between two turns of the event loop, in which timers and syncs get their chance. */
const grantsPerTurn = 20_000;

/**
 * Counts what a throttle asks of Redis, by Redis's own counters, while it grants nothing and while it grants millions.
 */
export async function countStoreCommands({ quick, progress }: RunOptions): Promise<StoreCommandFigures> {
  const seconds = quick ? 1 : 10;
  const { createThrottle } = await import("@dt/core");
  const { redisStore } = await import("@dt/redis");
  const { server, admin, version } = await startOwnRedis();
  try {
    await using store = redisStore({ url: server.url });
    await using throttle = createThrottle({ name: "bench", max: PLENTY, store });
    await throttle.start();
    while (throttle.status().share < PLENTY) await sleep(10);
    const stretch = async (what: string, work: (untilMs: number) => Promise<number>): Promise<Stretch> => {
      progress(`store commands: ${what} for ${seconds} s`);
      const before = await commandStats(admin);
      const grants = await work(performance.now() + seconds * 1_000);
      return { seconds, grants, ...difference(before, await commandStats(admin)) };
    };
    return {
      configuration: `Redis ${version}, max 1e9 in 1 s, release "epoch", sync interval 1 s`,
      idle: await stretch("idle", idle),
      granting: await stretch("granting", (untilMs) => grantUntil(throttle, untilMs)),
    };
  } finally {
    admin.disconnect();
    await server.stop();
  }
}

async function idle(untilMs: number): Promise<number> {
  await sleep(untilMs - performance.now());
  return 0;
}

async function grantUntil(throttle: Throttle, untilMs: number): Promise<number> {
  let granted = 0;
  do {
    for (let i = 0; i < grantsPerTurn; i++) if (throttle.tryAcquire()) granted++;
    await nextTurn();
  } while (performance.now() < untilMs);
  return granted;
}

/** What was counted in between; the question itself is left out. */
function difference(
  before: ReadonlyMap<string, CommandStat>,
  after: ReadonlyMap<string, CommandStat>,
): Pick<Stretch, "scripts" | "commands"> {
  const commands = Object.fromEntries(
    [...after]
      .map(([command, { calls }]) => [command, calls - (before.get(command)?.calls ?? 0)] as const)
      .filter(([command, calls]) => calls > 0 && command !== "info"),
  );
  const { evalsha = 0, eval: whole = 0 } = commands;
  return { scripts: evalsha + whole, commands };
}
