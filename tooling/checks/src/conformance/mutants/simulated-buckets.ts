import type { BucketAnswer, BucketRef, BucketRequest, DtError } from "@dt/core";
import {
  bucketMeansForMs,
  bucketName,
  damagedBucket,
  inspectBucket,
  type LimitRecordHead,
  takeUnits,
} from "@dt/core/ledger";
import { answerOrRefusal, type Call, type Operations } from "@dt/core/store";
import type { BucketFlaw } from "./bucket-flaw.ts";
import type { SimulatedServer } from "./simulated-server.ts";
import { PlainBucketTable } from "./suite-internals.ts";

type Request = <T>(call: Call, serve: () => T | Promise<T>) => Promise<T>;
type BucketOperations = Required<Pick<Operations, "take" | "resetBucket" | "inspectBucket">>;

/** The part of a simulated store that keeps buckets, and the buckets that have been used. */
export function simulatedBuckets(
  server: SimulatedServer,
  flaw: BucketFlaw,
  client: number,
  request: Request,
): BucketOperations & { readonly bucketNames: () => readonly string[] } {
  const nameOf = flaw.key ?? bucketName;
  const now = (): number => (flaw.clock ? flaw.clock(server.now(), client) : server.now());

  function mend(bucket: BucketRef): void {
    if (server.damagedBuckets.delete(nameOf(bucket))) server.buckets.delete(nameOf(bucket));
  }

  function refuseDamaged(bucket: BucketRef): void {
    if (server.damagedBuckets.has(nameOf(bucket)))
      throw damagedBucket(`the simulated row of ${bucketName(bucket)}`, "nonsense");
  }

  function tableOf(bucket: BucketRef): PlainBucketTable {
    const table = server.buckets.get(nameOf(bucket)) ?? new PlainBucketTable();
    server.buckets.set(nameOf(bucket), table);
    return table;
  }

  function headOf(bucket: BucketRef): LimitRecordHead | undefined {
    const { name, key } = (flaw.record ?? ((same) => same))(bucket);
    return server.limits.get(JSON.stringify(["keyed", name, key]));
  }

  /** Forgets what a new bucket would equal. */
  function sweep(): void {
    if (flaw.forgets === "nothing") return;
    const nowMs = server.now();
    for (const [name, { bucket }] of server.buckets) {
      const row = bucket && flaw.forgets === "hands" ? { ...bucket, used: 0, holds: [] } : bucket;
      if (row && nowMs - (row.lastMs - row.offsetMs) > bucketMeansForMs(row)) server.buckets.delete(name);
    }
  }

  /** Torn, it is the classic: read everything, work it out, write everything back, with room for others in between. */
  async function serveOne(asked: BucketRequest): Promise<BucketAnswer | DtError> {
    if (flaw.damaged === "served") mend(asked);
    const table = tableOf(asked);
    const run = flaw.take ?? ((_, proceed) => proceed());
    const read = flaw.torn ? table.clone() : table;
    if (flaw.torn) await server.reach(0);
    const nowMs = now();
    const head = headOf(asked);
    const answer = answerOrRefusal(() => {
      refuseDamaged(asked);
      return run({ table: read, request: asked, nowMs, head }, (altered = asked) =>
        takeUnits(read, altered, nowMs, head),
      );
    });
    if (flaw.torn) table.become(read);
    return answer;
  }

  async function serveAll(asked: readonly BucketRequest[]): Promise<readonly (BucketAnswer | DtError)[]> {
    const answers: (BucketAnswer | DtError)[] = [];
    for (const one of asked) answers.push(await serveOne(one));
    return answers;
  }

  return {
    take: (asked, call) =>
      request(call, () => {
        sweep();
        return flaw.batch ? flaw.batch(asked, serveAll) : serveAll(asked);
      }),
    resetBucket: (bucket, call) => {
      const run = flaw.reset ?? ((_, proceed) => proceed());
      return request(call, () => {
        if (flaw.damaged !== "kept") mend(bucket);
        run(tableOf(bucket), () => tableOf(bucket).forget());
      });
    },
    inspectBucket: (bucket, call) => {
      const run = flaw.inspect ?? ((_, proceed) => proceed());
      return request(call, () => {
        refuseDamaged(bucket);
        const [table, nowMs] = [server.buckets.get(nameOf(bucket)) ?? new PlainBucketTable(), now()];
        return run({ table, nowMs }, () => inspectBucket(table, bucket, nowMs));
      });
    },
    bucketNames: () => [...server.buckets].filter(([, { bucket }]) => bucket).map(([name]) => name),
  };
}
