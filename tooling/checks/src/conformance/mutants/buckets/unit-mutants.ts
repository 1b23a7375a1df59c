import type { BucketTake } from "@dt/core";
import type { HoldRow } from "@dt/core/ledger";
import { bucketMutant, type Mutant } from "../flaw.ts";
import { knownIn, patchBucket, patchHolds, type Take } from "./bucket-rows.ts";

/** With another take of each request. */
const taking =
  (change: (take: BucketTake) => Partial<BucketTake>): Take =>
  ({ request }, proceed) =>
    proceed(
      request.take && request.hold ? { ...request, take: { ...request.take, ...change(request.take) } } : request,
    );

/** True for a process that waits with nothing in hand. */
function isPlace({ units, granted, firstMs }: HoldRow): boolean {
  return units === 0 && granted === 0 && firstMs > 0;
}

/** K3 to K5: units, and units in hand. */
export const unitMutants: readonly Mutant[] = [
  bucketMutant("a bucket is full again with each request", "K3", {
    take: ({ table }, proceed) => {
      patchBucket(table, ({ holds }) => ({ used: holds.reduce((sum, { units }) => sum + units, 0) }));
      return proceed();
    },
  }),
  bucketMutant("units do not come back", "K3", {
    take: ({ table, nowMs }, proceed) => {
      patchBucket(table, ({ used, max, windowMs, lastMs, offsetMs }) => {
        const passedMs = Math.max(0, nowMs + offsetMs - lastMs);
        return { used: max > 0 && used > 0 ? used + (passedMs * max) / windowMs : used };
      });
      return proceed();
    },
  }),
  bucketMutant("a part of a cost is granted where there is not enough", "K4", {
    take: ({ request }, proceed) => {
      const answer = proceed();
      const part = Math.floor(answer.remaining);
      if (!request.take || answer.granted > 0 || part < 1) return answer;
      return proceed({ ...request, take: { ...request.take, cost: Math.min(part, request.take.cost) } });
    },
  }),
  bucketMutant("a cost waits as long as it has to", "K4", { take: taking(() => ({ maxWaitMs: 8e9 })) }),
  bucketMutant("all units that are wanted besides are taken, however late", "K4", {
    take: taking(() => ({ aheadWithinMs: 8e9 })),
  }),
  bucketMutant("no units are taken besides the cost", "K4", { take: taking(() => ({ ahead: 0 })) }),
  bucketMutant("a refusal states whole seconds", "K4", {
    take: (_, proceed) => {
      const answer = proceed();
      return answer.granted > 0 ? answer : { ...answer, waitMs: Math.ceil(answer.waitMs / 1_000) * 1_000 };
    },
  }),
  bucketMutant("no process that waits has a place", "K4", {
    take: ({ table }, proceed) => {
      const answer = proceed();
      patchHolds(table, (hold) => (isPlace(hold) ? { firstMs: 0 } : {}));
      return answer;
    },
  }),
  bucketMutant("the process that came last has the first place", "K4", {
    take: ({ table, request, nowMs }, proceed) => {
      const answer = proceed();
      patchHolds(table, (hold) => (isPlace(hold) && hold.id === request.hold?.id ? { firstMs: nowMs + 1 } : {}));
      return answer;
    },
  }),
  bucketMutant("the place of a process that does not come back has no end", "K4", {
    take: ({ table }, proceed) => {
      const answer = proceed();
      patchHolds(table, (hold) => (isPlace(hold) ? { untilMs: 8e15 } : {}));
      return answer;
    },
  }),
  bucketMutant("units that were spent go back, too", "K5", {
    take: ({ table, request }, proceed) => {
      const known = knownIn(table, request.hold?.id);
      const spent = known?.spent ?? 0;
      return proceed(request.hold && known ? { ...request, hold: { ...request.hold, spent } } : request);
    },
  }),
  bucketMutant("units that are not kept stay in hand", "K5", {
    take: ({ request }, proceed) =>
      proceed(request.hold ? { ...request, hold: { ...request.hold, keep: 1e12 } } : request),
  }),
  bucketMutant("units in hand come back as if they were spent", "K5", {
    take: ({ table, nowMs }, proceed) => {
      const holds = table.bucket?.holds ?? [];
      const [own, over] = [holds.filter(({ untilMs }) => untilMs > nowMs), holds.filter((h) => h.untilMs <= nowMs)];
      patchBucket(table, ({ used, lastMs, offsetMs, max, windowMs }) => {
        const backMs = Math.max(0, nowMs + offsetMs - lastMs);
        const inHand = own.reduce((sum, { units }) => sum + units, 0);
        return {
          holds: over,
          used: max > 0 ? Math.max(0, used - (Math.min(inHand, 1) * backMs * max) / windowMs) : used,
        };
      });
      patchBucket(table, () => ({ holds: [...own, ...over] }));
      return proceed();
    },
  }),
  bucketMutant("any number of units is in hand of all processes together", "K5", {
    take: ({ table, request, nowMs }, proceed) => {
      const others = (table.bucket?.holds ?? []).filter(
        ({ id, untilMs }) => id !== request.hold?.id && untilMs > nowMs,
      );
      patchBucket(table, ({ holds }) => ({ holds: holds.filter((hold) => !others.includes(hold)) }));
      try {
        return proceed();
      } finally {
        patchBucket(table, ({ holds }) => ({ holds: [...holds, ...others] }));
      }
    },
  }),
  bucketMutant("units are in hand for ever", "K5", {
    take: ({ table }, proceed) => {
      const answer = proceed();
      patchHolds(table, ({ untilMs }) => ({ untilMs: untilMs + 1e9 }));
      return answer;
    },
  }),
  bucketMutant("what is in hand when its time is over goes back", "K5", {
    take: ({ table, nowMs }, proceed) => {
      patchBucket(table, ({ holds, used, offsetMs }) => {
        const over = holds.filter(({ untilMs }) => untilMs <= nowMs + offsetMs);
        const units = over.reduce((sum, hold) => sum + hold.units, 0);
        return { holds: holds.filter((hold) => !over.includes(hold)), used: Math.max(0, used - units) };
      });
      return proceed();
    },
  }),
  bucketMutant("a report of a shorter time shortens that of what is kept", "K5", {
    take: ({ table, request }, proceed) => {
      const answer = proceed();
      const { id, forMs = 0, seq } = request.hold ?? {};
      patchHolds(table, (hold) =>
        hold.id === id && hold.seq === seq && hold.granted === 0 ? { untilMs: answer.storeTimeMs + forMs } : {},
      );
      return answer;
    },
  }),
  bucketMutant("a report of a longer time does not lengthen that of what is kept", "K5", {
    take: ({ table, request }, proceed) => {
      const untilMs = knownIn(table, request.hold?.id)?.untilMs;
      const answer = proceed();
      if (untilMs !== undefined)
        patchHolds(table, (hold) => (hold.id === request.hold?.id && hold.granted === 0 ? { untilMs } : {}));
      return answer;
    },
  }),
];
