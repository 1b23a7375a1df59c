import { type CaseDefinition, casesOf } from "../../case.ts";
import type { Answered } from "../../permits/permit-key.ts";

const DAY_MS = 86_400_000;

/** A request that pauses, and reserves nothing. */
const ONLY = { maxReserved: 0 };

/** P15: pauses of a key. */
export const pauses: readonly CaseDefinition[] = casesOf({ rule: "P15", needs: ["permits"] }, [
  {
    name: "no instant that is reserved lies before the end of a pause, whichever client asks",
    why: "a callee that asks for a pause means the whole fleet",
    async run(context) {
      const key = await context.permitKey();
      const paused = await key.refused({ ...ONLY, pauseMs: 5.5 * key.everyMs }, "the key is paused");
      context.that(
        paused.reservation.pausedForMs !== undefined,
        "the answer has no pausedForMs, and its request set a pause",
      );
      const other = await context.permitClient();
      const endMs = endOf(paused);
      const first = await key.take({}, other);
      key.at(first.atMs, endMs, "the first permit behind a pause");
      context.that(first.reservation.pausedForMs !== undefined, "an answer to another client has no pausedForMs");
      const block = await key.take({ count: 3 });
      key.at(block.instants[2], endMs + 3 * key.everyMs, "the last permit of a block behind it");
    },
  },
  {
    name: "a request that sets a pause has its permit behind it",
    async run(context) {
      const key = await context.permitKey();
      await key.take();
      const own = await key.take({ pauseMs: 3.5 * key.everyMs });
      key.at(own.atMs, endOf(own), "the permit of a request that sets a pause");
      key.at((await key.take()).atMs, own.atMs + key.everyMs, "the permit behind that");
    },
  },
  {
    name: "a pause counts as reserved ahead, and the answer is when there is room",
    async run(context) {
      const key = await context.permitKey({ maxReserved: 3 });
      const paused = await key.refused({ ...ONLY, pauseMs: 10 * key.everyMs }, "the key is paused");
      const refused = await key.refused({ queueMs: key.everyMs }, "more than 3 intervals lie ahead");
      const { retryAfterMs, storeTimeMs } = refused.reservation;
      // Four intervals before the end: three that may be reserved, and the one that is due next.
      key.at(storeTimeMs + retryAfterMs, endOf(paused) - 4 * key.everyMs, "when a refused request may come again");
    },
  },
  {
    name: "of two pauses the one that ends later counts",
    async run(context) {
      const key = await context.permitKey();
      const long = await key.refused({ ...ONLY, pauseMs: 5.5 * key.everyMs }, "the key is paused");
      await key.refused({ ...ONLY, pauseMs: 2 * key.everyMs }, "the key is paused");
      await key.refused({ ...ONLY, pauseMs: 0 }, "the key is paused");
      key.at((await key.take()).atMs, endOf(long), "the permit behind the longer of two pauses");
      const longer = await key.refused({ ...ONLY, pauseMs: 9.5 * key.everyMs }, "the key is paused");
      key.at((await key.take()).atMs, endOf(longer), "the permit behind a pause that was made longer");
    },
  },
  {
    name: "what was reserved before a pause stays, and the next permit keeps its distance to that",
    async run(context) {
      const key = await context.permitKey();
      const block = await key.take({ count: 6 });
      await key.refused({ ...ONLY, pauseMs: 2.5 * key.everyMs }, "the key is paused");
      key.at((await key.take()).atMs, block.atMs + 6 * key.everyMs, "the permit behind a block and a pause");
      key.at((await key.send(block.request)).instants[1], block.atMs + key.everyMs, "a repeat of what was reserved");
    },
  },
  {
    name: "what was given back before the end of a pause is forgotten, and what lies behind it is given again",
    async run(context) {
      const key = await context.permitKey();
      const block = await key.take({ count: 6 });
      const last = await key.take();
      await key.release(block, 1);
      await key.refused({ ...ONLY, pauseMs: 2.5 * key.everyMs }, "the key is paused");
      for (const place of [3, 4, 5])
        key.at((await key.take()).atMs, block.instants[place] as number, `instant ${place + 1} of 6, given back`);
      key.at((await key.take()).atMs, last.atMs + key.everyMs, "the permit after all that was given back");
    },
  },
  {
    name: "what is given back while a key is paused is forgotten where it lies before the end",
    async run(context) {
      const key = await context.permitKey();
      const block = await key.take({ count: 4 });
      const last = await key.take();
      await key.refused({ ...ONLY, pauseMs: 2.5 * key.everyMs }, "the key is paused");
      await key.release(block, 1);
      key.at((await key.take()).atMs, block.instants[3] as number, "the only one behind the end");
      key.at((await key.take()).atMs, last.atMs + key.everyMs, "the permit after that");
    },
  },
  {
    name: "a pause leaves no burst of what was there before it, or gathered meanwhile",
    why: "a callee that was overrun must not be run over again as soon as its pause ends",
    async run(context) {
      const key = await context.permitKey({ burst: 5 });
      const paused = await key.refused({ ...ONLY, pauseMs: context.ms(300) }, "the key is paused");
      await context.sleep(context.ms(300));
      const block = await key.ask({ count: 5, maxReserved: 20 });
      const endMs = endOf(paused);
      key.at(block.instants[4], endMs + 4 * key.everyMs, "the last of five permits after a pause, with a burst of 5");
    },
  },
  {
    name: "a pause leaves no burst where all that was reserved behind it is given back",
    async run(context) {
      const key = await context.permitKey({ burst: 5 });
      const block = await key.take({ count: 20 });
      const paused = await key.refused({ ...ONLY, pauseMs: 3.5 * key.everyMs }, "the key is paused");
      await key.release(block);
      const next = await key.take({ count: 3 });
      key.at(next.instants[2], endOf(paused) + 2 * key.everyMs, "the third permit behind a pause");
    },
  },
  {
    name: "a request that is refused for its terms pauses nothing, and one that is repeated does",
    async run(context) {
      const key = await context.permitKey();
      const first = await key.take({ terms: "one a second" });
      const other = key.request({ terms: "ten a second", pauseMs: 9 * key.everyMs });
      await context.refused(
        (await context.permitStore()).reserve(key.key, other),
        ["DT_PACE_MISMATCH"],
        "a request with other terms",
      );
      key.at((await key.take()).atMs, first.atMs + key.everyMs, "the permit after a request that was refused");
      const again = await key.send({ ...first.request, pauseMs: 5.5 * key.everyMs });
      key.at(again.instants[0], first.atMs, "the permit of a request that is repeated with a pause");
      key.at((await key.take()).atMs, endOf(again), "the permit behind its pause");
    },
  },
  {
    name: "a reset ends a pause",
    async run(context) {
      const store = context.resetsPermits(await context.permitStore());
      const key = await context.permitKey();
      await key.refused({ ...ONLY, pauseMs: DAY_MS }, "the key is paused for a day");
      await key.reset(store);
      const { atMs, reservation } = await key.take();
      key.at(atMs, reservation.storeTimeMs, "the permit after a reset");
      context.equal(reservation.pausedForMs, undefined, "what is left of a pause that a reset ended");
    },
  },
  {
    name: "a pause is shown while it lasts, and what was given back before its end is not",
    async run(context) {
      const store = context.inspectsPermits(await context.permitStore());
      const key = await context.permitKey();
      const block = await key.take({ count: 6 });
      await key.take();
      await key.release(block, 1);
      context.equal((await key.inspect(store)).pausedForMs, undefined, "what is left of a pause that there is not");
      const paused = await key.refused({ ...ONLY, pauseMs: 2.5 * key.everyMs }, "the key is paused");
      const { pausedForMs = 0, storeTimeMs, freed } = await key.inspect(store);
      key.at(storeTimeMs + pausedForMs, endOf(paused), "the end of a pause");
      context.equal(freed, 3, "instants given back behind the end of a pause");
    },
  },
  {
    name: "a pause of one key is none of another, and a pause that is no time within a day is refused",
    async run(context) {
      const key = await context.permitKey();
      const other = await context.permitKey();
      await other.refused({ ...ONLY, pauseMs: DAY_MS }, "the key is paused");
      const store = await context.permitStore();
      for (const pauseMs of [-1, Number.NaN, Number.POSITIVE_INFINITY, DAY_MS + 1, "10", null])
        await context.refused(
          store.reserve(key.key, { ...key.request(), pauseMs: pauseMs as number }),
          ["DT_INVALID_OPTION"],
          `a pauseMs of ${String(pauseMs)}`,
        );
      const { atMs, reservation } = await key.take();
      key.at(atMs, reservation.storeTimeMs, "the permit of a key that is not paused");
    },
  },
]);

/** When the pause ends that an answer tells of, on the key's time. */
function endOf({ reservation: { storeTimeMs, pausedForMs = 0 } }: Pick<Answered, "reservation">): number {
  return storeTimeMs + pausedForMs;
}
