import { type CoordinationStore, type PermitLedger, randomId, systemRuntime } from "@dt/core";
import type { BenchStore } from "../stores/bench-store.ts";
import { dynamodb } from "../stores/dynamodb.ts";
import { etcdOne } from "../stores/etcd.ts";
import { memory } from "../stores/memory.ts";
import { postgres } from "../stores/postgres.ts";
import { redis } from "../stores/redis.ts";
import { sqlite } from "../stores/sqlite.ts";
import type { PermitCandidate } from "./permit-candidate.ts";

/**
 * How long a pacer of default options has a reservation remembered after its instant, so that a repeated request is
 * answered the same.
 */
const KEEP_MS = 2_050;

/**
 * Ten thousand permits a second, which nobody here takes: every one is free at once or reserved ahead, none is refused.
 */
const SHAPE = { cost: 1, everyMs: 0.1, burst: 1, maxReserved: 1_000_000, keepMs: KEEP_MS, queueMs: 0 } as const;

/** So few that no more are remembered of a key than in a second of a busy one. */
const MOST_PER_ROUND = 1_000;

/** The permit ledgers of `@dt`, as `createPacer` calls them. */
export const ownCandidates: readonly PermitCandidate[] = [memory, sqlite, redis, postgres, etcdOne, dynamodb].map(own);

function own(candidate: BenchStore): PermitCandidate {
  return {
    name: `@dt ${candidate.name}`,
    permitsPerRound: Math.min(candidate.callsPerRound, MOST_PER_ROUND),
    start: async () => {
      const started = await candidate.start();
      const store = started.store as CoordinationStore & PermitLedger;
      const { counters } = started;
      return {
        configuration: started.configuration.replace(/, one sync at a time$/, ""),
        hasBlocks: true,
        take: async (key, count) => {
          const { granted } = await store.reserve(key, { ...SHAPE, count, id: randomId(systemRuntime) });
          if (granted !== count) throw new Error(`${candidate.name} granted ${granted} of ${count}`);
        },
        ...(counters && { requests: () => counters().then(({ requests }) => requests ?? Number.NaN) }),
        stop: () => started.stop(),
      };
    },
  };
}
