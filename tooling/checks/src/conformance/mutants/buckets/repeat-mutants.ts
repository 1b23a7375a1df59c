import { bucketMutant, type Mutant } from "../flaw.ts";
import { knownIn, patchBucket, patchHolds } from "./bucket-rows.ts";

/** K7 and K8: the same again, and hits. */
export const repeatMutants: readonly Mutant[] = [
  bucketMutant("a request that comes twice is served twice", "K7", {
    take: ({ table, request: { hold } }, proceed) => {
      patchHolds(table, ({ id, seq }) => (id === hold?.id && seq === hold.seq ? { seq: seq - 1 } : {}));
      return proceed();
    },
  }),
  bucketMutant("a request that comes after a newer one is served", "K7", {
    take: ({ table, request: { hold } }, proceed) => {
      patchHolds(table, ({ id, seq }) => (id === hold?.id && seq > hold.seq ? { seq: hold.seq - 1 } : {}));
      return proceed();
    },
  }),
  bucketMutant("a repeat counts its hits again", "K7", {
    take: ({ table, request: { hold, hits } }, proceed) => {
      const isRepeat = hold !== undefined && (knownIn(table, hold.id)?.seq ?? 0) >= hold.seq;
      if (isRepeat && hits) patchBucket(table, (row) => ({ hits: row.hits + hits.by }));
      return proceed();
    },
  }),
  bucketMutant("a repeat of a refusal is judged anew", "K7", {
    take: ({ table, request: { hold } }, proceed) => {
      patchHolds(table, ({ id, seq, granted }) => (id === hold?.id && granted === 0 ? { seq: seq - 1 } : {}));
      return proceed();
    },
  }),
  bucketMutant("processes are told apart by their first 1,000 letters, in any case", "K7", {
    take: ({ request }, proceed) => {
      const { hold } = request;
      return proceed(hold ? { ...request, hold: { ...hold, id: hold.id.slice(0, 1_000).toLowerCase() } } : request);
    },
  }),
  bucketMutant("all processes have one number", "K7", {
    take: ({ request }, proceed) =>
      proceed(request.hold ? { ...request, hold: { ...request.hold, id: "all" } } : request),
  }),
  bucketMutant("each hit lengthens the window", "K8", {
    take: ({ table, request: { hits } }, proceed) => {
      const answer = proceed();
      if (hits && answer.hitsResetMs > 0) patchBucket(table, ({ lastMs }) => ({ hitsUntilMs: lastMs + hits.windowMs }));
      return answer;
    },
  }),
  bucketMutant("a window of hits begins with a look", "K8", {
    take: ({ table, request: { hits } }, proceed) => {
      const answer = proceed();
      if (!hits || answer.hitsResetMs > 0) return answer;
      patchBucket(table, ({ lastMs }) => ({ hits: 0, hitsUntilMs: lastMs + hits.windowMs }));
      return { ...answer, hitsResetMs: hits.windowMs };
    },
  }),
  bucketMutant("hits are counted up to the burst", "K8", {
    take: ({ table }, proceed) => {
      const answer = proceed();
      patchBucket(table, ({ hits, burst }) => ({ hits: burst > 0 ? Math.min(hits, burst) : hits }));
      return { ...answer, hits: Math.min(answer.hits, answer.limit?.burst ?? answer.hits) };
    },
  }),
  bucketMutant("a window of hits does not end", "K8", {
    take: ({ table }, proceed) => {
      const answer = proceed();
      patchBucket(table, ({ hits, hitsUntilMs }) => (hits > 0 ? { hitsUntilMs: hitsUntilMs + 1e9 } : {}));
      return answer;
    },
  }),
  bucketMutant("a request that only counts hits is no use of a bucket, and takes units with it", "K8", {
    take: ({ table, request }, proceed) => {
      const answer = proceed();
      if (!request.limit) patchBucket(table, ({ used }) => ({ used: used + 1 }));
      return answer;
    },
  }),
];
