import type { Benchmark, RunOptions } from "../benchmark.ts";
import { interleaved } from "../interleaved.ts";
import { count, figure } from "../report/format.ts";
import { atMost, type Report } from "../report/report.ts";
import { type Spread, spread } from "../statistics.ts";
import { ownCandidates } from "./own-candidates.ts";
import { GCRA_PEER, peers } from "./peers.ts";
import { BLOCK, type StartedCandidate } from "./permit-candidate.ts";

/** One way of taking permits. */
export interface WayFigures {
  readonly permitsPerSecond: Spread;
  /** Requests to the server for each permit; null without a server. */
  readonly requestsPerPermit: number | null;
}

export interface CandidateFigures {
  readonly name: string;
  readonly configuration: string;
  readonly permitsPerRound: number;
  readonly oneAtATime: WayFigures;
  /** Several calls of one process at a time. */
  readonly together: WayFigures;
  /** One call after the other, each for a block; null where there are no blocks. */
  readonly blocks: WayFigures | null;
}

/** What a permit costs with each store and peer. */
export interface PermitFigures {
  readonly rounds: number;
  readonly atOnce: number;
  readonly block: number;
  readonly candidates: readonly CandidateFigures[];
  /** Time of a permit of ours on Redis against the GCRA peer's in the same round, one at a time. */
  readonly againstPeer: Spread;
}

const AT_ONCE = 32;
const DEFAULT_ROUNDS = 7;

export const permits: Benchmark<PermitFigures> = {
  name: "permits",
  summary:
    "permits reserved a second, and requests for each, with and without blocks, for each store and beside peers on Redis",
  run,
  report: permitsReport,
};

async function run({ rounds: given, quick, progress }: RunOptions): Promise<PermitFigures> {
  const rounds = given ?? (quick ? 1 : DEFAULT_ROUNDS);
  const running: { readonly name: string; readonly permitsPerRound: number; readonly started: StartedCandidate }[] = [];
  try {
    for (const { name, permitsPerRound, start } of [...ownCandidates, ...peers]) {
      progress(`${name}: starting`);
      running.push({ name, permitsPerRound: quick ? 64 : permitsPerRound, started: await start() });
    }
    for (const { started } of running) await oneAtATime(started, "warm-up", quick ? 20 : 200);
    const measured = await interleaved(running, rounds, async ({ name, permitsPerRound, started }, round) => {
      progress(`${name}: round ${round + 1} of ${rounds}`);
      const measure = (way: Way, permits: number): Promise<Timing> =>
        timed(started, permits, () => way(started, `${way.name}-${round}`, permits));
      return {
        oneAtATime: await measure(oneAtATime, permitsPerRound),
        together: await measure(together, permitsPerRound),
        blocks: started.hasBlocks ? await measure(blocks, permitsPerRound * 10) : null,
      };
    });
    const candidates = running.map(({ name, permitsPerRound, started }, i): CandidateFigures => {
      const own = measured[i] ?? [];
      const way = (timings: readonly Timing[]): WayFigures => ({
        permitsPerSecond: spread(timings.map(({ permitsPerSecond }) => permitsPerSecond)),
        requestsPerPermit: started.requests ? spread(timings.map((timing) => timing.requestsPerPermit)).median : null,
      });
      return {
        ...{ name, configuration: started.configuration, permitsPerRound },
        oneAtATime: way(own.map((round) => round.oneAtATime)),
        together: way(own.map((round) => round.together)),
        blocks: started.hasBlocks ? way(own.map((round) => round.blocks as Timing)) : null,
      };
    });
    const rates = (wanted: string): readonly number[] => {
      const index = running.findIndex(({ name }) => name === wanted);
      return (measured[index] ?? []).map(({ oneAtATime }) => oneAtATime.permitsPerSecond);
    };
    const [ours, theirs] = [rates("@dt redis"), rates(GCRA_PEER)];
    const againstPeer = spread(ours.map((rate, round) => (theirs[round] ?? Number.NaN) / rate));
    return { rounds, atOnce: AT_ONCE, block: BLOCK, candidates, againstPeer };
  } finally {
    for (const { started } of running) await started.stop();
  }
}

/** Takes so many permits of a key. */
type Way = (started: StartedCandidate, key: string, permits: number) => Promise<void>;

interface Timing {
  readonly permitsPerSecond: number;
  readonly requestsPerPermit: number;
}

async function timed({ requests }: StartedCandidate, permits: number, work: () => Promise<void>): Promise<Timing> {
  const before = (await requests?.()) ?? Number.NaN;
  const startMs = performance.now();
  await work();
  const seconds = (performance.now() - startMs) / 1_000;
  const after = (await requests?.()) ?? Number.NaN;
  return { permitsPerSecond: permits / seconds, requestsPerPermit: (after - before) / permits };
}

async function oneAtATime({ take }: StartedCandidate, key: string, permits: number): Promise<void> {
  for (let i = 0; i < permits; i++) await take(key, 1);
}

async function together({ take }: StartedCandidate, key: string, permits: number): Promise<void> {
  let left = permits;
  const worker = async (): Promise<void> => {
    while (left-- > 0) await take(key, 1);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

async function blocks({ take }: StartedCandidate, key: string, permits: number): Promise<void> {
  for (let left = permits; left > 0; left -= BLOCK) await take(key, Math.min(BLOCK, left));
}

export function permitsReport({ rounds, atOnce, block, candidates, againstPeer }: PermitFigures): Report {
  const perSecond = (way: WayFigures | null): string => (way ? count(way.permitsPerSecond.median) : "-");
  const requests = (way: WayFigures | null): string =>
    way?.requestsPerPermit === null || way === null ? "-" : figure(way.requestsPerPermit);
  return {
    tables: [
      {
        title: "Permits reserved by one process",
        columns: [
          "",
          "permits/s, one at a time",
          "requests/permit",
          `permits/s, ${atOnce} at a time`,
          "requests/permit",
          `permits/s, blocks of ${block}`,
          "requests/permit",
        ],
        rows: candidates.map(({ name, oneAtATime, together, blocks }) => [
          name,
          ...[oneAtATime, together, blocks].flatMap((way) => [perSecond(way), requests(way)]),
        ]),
        notes: [
          ...candidates.map(({ name, configuration }) => `${name}: ${configuration}.`),
          `Medians of ${rounds} rounds, candidates interleaved, each round on a key of its own. Requests by the server's own count.`,
          "A reservation of @dt is remembered for 2 s, so that repeating it after a lost answer gives the same permit; peers remember nothing.",
          "etcd and DynamoDB write calls that are made together as one, and every write is on disk before it is answered (not in dynalite).",
        ],
      },
    ],
    targets: [
      atMost(`@dt redis: time of a permit against ${GCRA_PEER}'s, one at a time`, againstPeer.median, 2),
      ...candidates.flatMap(({ name, blocks }) =>
        blocks?.requestsPerPermit == null
          ? []
          : [atMost(`${name}: requests for each permit in blocks of ${block}`, blocks.requestsPerPermit, 3 / block)],
      ),
    ],
  };
}
