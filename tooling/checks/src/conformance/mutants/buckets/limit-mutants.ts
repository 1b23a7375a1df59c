import { isDtError } from "@dt/core";
import { bucketMutant, type Mutant } from "../flaw.ts";
import { patchBucket } from "./bucket-rows.ts";

/** K9: whose limit counts. */
export const limitMutants: readonly Mutant[] = [
  bucketMutant("the limit of the last request counts", "K9", {
    take: ({ table, request }, proceed) => {
      const { max = 0, windowMs = 0, burst = 0, concurrent = 0 } = table.bucket ?? {};
      const formerLimit = { max, windowMs, burst, ...(concurrent > 0 && { concurrent }) };
      return proceed(max > 0 && request.limit && !request.stored ? { ...request, formerLimit } : request);
    },
  }),
  bucketMutant("a request that is refused for its limit counts its hits all the same", "K9", {
    take: ({ request: { name, key, hits } }, proceed) => {
      try {
        return proceed();
      } catch (error) {
        if (isDtError(error) && hits) proceed({ name, key, hits });
        throw error;
      }
    },
  }),
  bucketMutant("a limit binds a bucket for ever", "K9", {
    take: ({ table, nowMs }, proceed) => {
      patchBucket(table, ({ lastMs, offsetMs }) => ({ lastMs: Math.max(lastMs, nowMs + offsetMs) }));
      return proceed();
    },
  }),
  bucketMutant("a limit that takes the place of another one is refused", "K9", {
    take: ({ request: { formerLimit: _, ...request } }, proceed) => proceed(request),
  }),
  bucketMutant("a limit of one bucket differs from another one by its rate alone", "K9", {
    take: ({ table, request }, proceed) => {
      const { max = 0, windowMs = 0, burst = 0, concurrent = 0 } = table.bucket ?? {};
      const { limit } = request;
      const same = limit && max > 0 && limit.max / limit.windowMs === max / windowMs && !request.formerLimit;
      return proceed(
        same && !request.stored
          ? { ...request, limit: { max, windowMs, burst, ...(concurrent > 0 && { concurrent }) } }
          : request,
      );
    },
  }),
  bucketMutant("a bucket is full when its limit changes", "K9", {
    take: ({ table }, proceed) => {
      const burst = table.bucket?.burst;
      const answer = proceed();
      if (burst === undefined || burst === 0 || burst === answer.limit?.burst) return answer;
      patchBucket(table, () => ({ used: answer.granted }));
      return { ...answer, remaining: (answer.limit?.burst ?? 0) - answer.granted };
    },
  }),
  bucketMutant("records of limits are not read", "K9", {
    take: ({ request }, proceed) => proceed(request.stored ? { ...request, stored: false } : request),
  }),
  bucketMutant("the record of a limit is read once", "K9", {
    take: ({ table, request, head }, proceed) => {
      const known = table.bucket?.stored;
      if (!request.stored || !head || !known || known.revision <= 0) return proceed();
      patchBucket(table, () => ({
        stored: { ...known, revision: head.values === null ? -head.revision : head.revision },
      }));
      return proceed();
    },
  }),
  bucketMutant("a limit that is set is that of all keys of the name", "K9", {
    record: ({ name }) => ({ name, key: "a" }),
  }),
  bucketMutant("a request that is not stored has the stored limit", "K9", {
    take: ({ table, request }, proceed) => {
      const { stored } = table.bucket ?? {};
      if (request.stored || !request.limit || !stored) return proceed();
      const answer = proceed();
      patchBucket(table, () => ({ burst: stored.burst }));
      return { ...answer, limit: { ...(answer.limit ?? request.limit), burst: stored.burst } };
    },
  }),
  bucketMutant("a repeat takes the limit that was set meanwhile", "K9", {
    take: ({ table, request, head }, proceed) => {
      const answer = proceed();
      if (!request.stored || !head?.values) return answer;
      const values = JSON.parse(head.values) as { readonly burst: number };
      patchBucket(table, () => ({ burst: values.burst }));
      return { ...answer, limit: { ...(answer.limit as NonNullable<typeof answer.limit>), burst: values.burst } };
    },
  }),
];
