import { bucketMutant, type Mutant } from "../flaw.ts";
import { patchBucket } from "./bucket-rows.ts";

const short = (id: string): string => id.slice(0, 1_000).toLowerCase();

/** K6: calls in flight. */
export const slotMutants: readonly Mutant[] = [
  bucketMutant("a slot is taken although the cost is refused", "K6", {
    take: ({ table, request }, proceed) => {
      const answer = proceed();
      const { slot } = request.take ?? {};
      if (slot && answer.granted === 0 && answer.limitedBy === "rate")
        patchBucket(table, ({ slots, lastMs }) => ({
          slots: [...slots, { id: slot.id, untilMs: lastMs + slot.forMs }],
        }));
      return answer;
    },
  }),
  bucketMutant("a cost is granted without a slot where none is free", "K6", {
    take: ({ request }, proceed) => {
      const answer = proceed();
      const { take } = request;
      if (!take || answer.limitedBy !== "concurrent") return answer;
      const { slot: _, ...others } = take;
      return proceed({ ...request, take: others });
    },
  }),
  bucketMutant("slots are given back after the cost is taken", "K6", {
    take: ({ request: { release, ...request } }, proceed) => {
      const answer = proceed(request);
      if (release) proceed({ name: request.name, key: request.key, hits: { windowMs: 1, by: 0 }, release });
      return answer;
    },
  }),
  bucketMutant("slots are not renewed", "K6", {
    take: ({ request }, proceed) => proceed(request.renew ? { ...request, renewMs: 0 } : request),
  }),
  bucketMutant("a slot that is renewed is shortened", "K6", {
    take: ({ table, request }, proceed) => {
      const answer = proceed();
      patchBucket(table, ({ slots, lastMs }) => ({
        slots: slots.map((slot) =>
          request.renew?.includes(slot.id) ? { ...slot, untilMs: lastMs + (request.renewMs ?? 0) } : slot,
        ),
      }));
      return answer;
    },
  }),
  bucketMutant("slots that were lost are not named", "K6", { take: (_, proceed) => ({ ...proceed(), lost: [] }) }),
  bucketMutant("slots are in use until they are given back", "K6", {
    take: ({ table }, proceed) => {
      const answer = proceed();
      patchBucket(table, ({ slots }) => ({ slots: slots.map((slot) => ({ ...slot, untilMs: slot.untilMs + 1e9 })) }));
      return answer;
    },
  }),
  bucketMutant("a slot that is in use is taken a second time", "K6", {
    take: ({ table, request }, proceed) => {
      const { slot } = request.take ?? {};
      const isThere = table.bucket?.slots.some(({ id }) => id === slot?.id);
      return proceed(
        slot && isThere && request.take
          ? { ...request, take: { ...request.take, slot: { ...slot, id: `${slot.id} again` } } }
          : request,
      );
    },
  }),
  bucketMutant("slots are told apart by their first 1,000 letters, in any case", "K6", {
    take: ({ request }, proceed) => {
      const { take, renew, release } = request;
      return proceed({
        ...request,
        ...(take?.slot && { take: { ...take, slot: { ...take.slot, id: short(take.slot.id) } } }),
        ...(renew && { renew: renew.map(short) }),
        ...(release && { release: release.map(short) }),
      });
    },
  }),
];
