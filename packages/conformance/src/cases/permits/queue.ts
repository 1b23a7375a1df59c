import type { PermitRequest, Reservation } from "@dt/core";
import { type CaseDefinition, casesOf } from "../../case.ts";
import type { CaseContext } from "../../context.ts";
import { insist } from "../../permits/insist.ts";
import type { PermitKey } from "../../permits/permit-key.ts";
import type { PermitStore } from "../../permits/permit-store.ts";

/** P8: the queue of those who were refused. */
export const queue: readonly CaseDefinition[] = casesOf({ rule: "P8", needs: ["permits"] }, [
  {
    name: "those in the queue are answered a time each, an interval apart, and keep their place when they ask again",
    async run(context) {
      const key = await context.permitKey({ maxReserved: 0, queueMs: context.ms(60_000) });
      const { atMs } = await key.take();
      const queue = [key.request(), key.request(), key.request()];
      for (let round = 0; round < 2; round++) {
        for (const [place, request] of queue.entries()) {
          const { reservation } = await key.send(request);
          context.equal(reservation.granted, 0, `granted to number ${place + 1} in the queue before anything is due`);
          // Each comes at the earliest an interval behind the one ahead.
          key.at(
            Math.round(reservation.storeTimeMs + reservation.retryAfterMs),
            Math.round(atMs + (place + 1) * key.everyMs),
            `when number ${place + 1} in the queue is to try again`,
          );
        }
      }
    },
  },
  {
    name: "when a permit is due it goes to the first in the queue, and a newcomer is refused",
    why: "otherwise those with a short way to the store, or with luck, take everything",
    async run(context) {
      const { key, queue } = await inQueue(context, 3, { queueMs: context.ms(30_000) });
      const newcomer = key.request({ queueMs: 0 });
      for (const [place, request] of queue.entries()) {
        await context.until(
          async () => {
            // The newcomer is always there a moment before.
            const { reservation } = await key.send(newcomer);
            context.equal(reservation.granted, 0, `granted to a newcomer while ${3 - place} are in the queue`);
            for (const later of queue.slice(place + 1))
              context.equal((await key.send(later)).reservation.granted, 0, "granted to one further back in the queue");
            return (await key.send(request)).reservation.granted > 0 ? true : undefined;
          },
          `number ${place + 1} in the queue is never granted`,
        );
      }
      await context.until(
        async () => ((await key.ask({ queueMs: 0 })).reservation.granted > 0 ? true : undefined),
        "those who were granted are still in the queue: no other is granted any more",
      );
    },
  },
  {
    name: "who leaves the queue by a release lets the next one move up",
    async run(context) {
      const key = await context.permitKey({ maxReserved: 0, queueMs: context.ms(60_000) });
      const { atMs } = await key.take();
      const [first, second] = [key.request(), key.request()];
      await key.send(first);
      await key.send(second);
      await key.release({ request: first });
      const { reservation } = await key.send(second);
      key.at(
        Math.round(reservation.storeTimeMs + reservation.retryAfterMs),
        Math.round(atMs + key.everyMs),
        "when the second in the queue is to try again after the first has left",
      );
    },
  },
  {
    name: "who does not come back in time is passed over",
    why: "a process that died in the queue must not stop those behind it",
    async run(context) {
      const queueMs = context.ms(120);
      const { key, answers } = await inQueue(context, 1, { queueMs });
      const { storeTimeMs, retryAfterMs } = answers[0] as Reservation;
      const overMs = storeTimeMs + retryAfterMs + queueMs;
      await context.until(
        async () => {
          const { reservation } = await key.ask({ queueMs: 0 });
          if (reservation.granted === 0) return undefined;
          context.that(
            reservation.storeTimeMs >= overMs - 0.1,
            `a newcomer was granted ${overMs - reservation.storeTimeMs} ms before the place of the one in the queue was lost`,
          );
          return true;
        },
        "one that does not come back stops all behind it",
        20,
      );
    },
  },
  {
    name: "who does not want to wait is not in the queue",
    async run(context) {
      const key = await context.permitKey({ maxReserved: 0 });
      const { atMs } = await key.take();
      for (let i = 0; i < 5; i++) {
        const { storeTimeMs, retryAfterMs } = (await key.refused({}, "none is due and the bound is 0")).reservation;
        const againMs = Math.round(storeTimeMs + retryAfterMs);
        key.at(
          againMs,
          Math.round(atMs + key.everyMs),
          `when to try again, after ${i} others who do not wait were refused`,
        );
      }
    },
  },
  {
    name: "with a bound above 0 those in the queue come first too, and a freed instant is not for those behind them",
    async run(context) {
      const key = await context.permitKey({ maxReserved: 1, queueMs: context.ms(60_000) });
      const given = [];
      for (let answer = await key.ask(); answer.reservation.granted > 0; answer = await key.ask()) given.push(answer);
      // The refused one is in the queue.
      const first = key.request();
      await key.send(first);
      const freed = given.at(-1) as (typeof given)[0];
      await key.release(freed);
      const { reservation } = await key.send(key.request({ queueMs: 0 }));
      context.equal(reservation.granted, 0, "granted to a newcomer while two are in the queue");
    },
  },
  {
    name: "waiters that come back at the time in their answer are served one after the other, and none starves",
    run: (context) => fairTurns(context),
  },
]);

/**
 * A key whose next permit is still to come and for which some are in the queue. On a machine so slow that it came
 * before they had asked, once more with longer intervals.
 */
async function inQueue(
  context: CaseContext,
  count: number,
  waiting: Pick<PermitRequest, "queueMs">,
): Promise<{
  readonly key: PermitKey;
  readonly queue: readonly PermitRequest[];
  readonly answers: readonly Reservation[];
}> {
  for (let everyMs = context.ms(100); ; everyMs *= 2) {
    const key = await context.permitKey({ everyMs, maxReserved: 0, ...waiting });
    await key.take();
    const queue = Array.from({ length: count }, () => key.request());
    const answers: Reservation[] = [];
    for (const request of queue) answers.push((await key.send(request)).reservation);
    if (answers.every(({ granted }) => granted === 0)) return { key, queue, answers };
  }
}

/** Turns for each worker. */
const TURNS = 4;

/**
 * Workers that wait in the queue for permit after permit. Whoever is refused first must be granted first, so that
 * everybody has turns.
 */
async function fairTurns(context: CaseContext): Promise<void> {
  const key = await context.permitKey({ everyMs: context.ms(20), maxReserved: 0, queueMs: context.ms(20_000) });
  const stores = [await context.permitStore()];
  while (stores.length < 3) stores.push(await context.permitClient());
  const turns = Array.from({ length: 5 }, () => 0);
  let total = 0;
  const work = async (worker: number): Promise<void> => {
    while (total < TURNS * turns.length) {
      await turn(context, key, stores[worker % stores.length] as PermitStore, () => total < TURNS * turns.length);
      total += 1;
      turns[worker] = (turns[worker] as number) + 1;
    }
  };
  await Promise.all(turns.map((_, worker) => work(worker)));
  const [least, most] = [Math.min(...turns), Math.max(...turns)];
  // Not more exactly: whoever is quick to ask again is in the queue while the others' requests are still on their way.
  context.that(4 * least >= most, `of ${total} permits five workers in the queue got ${turns.join(", ")}`);
}

async function turn(context: CaseContext, key: PermitKey, store: PermitStore, wanted: () => boolean): Promise<void> {
  const request: PermitRequest = key.request();
  while (wanted()) {
    const { granted, retryAfterMs } = await insist(context, () => store.reserve(key.key, request));
    if (granted > 0) return;
    await context.sleep(retryAfterMs);
  }
  await insist(context, () => store.release(key.key, { id: request.id, keep: 0 }));
}
