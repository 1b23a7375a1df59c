import { type CaseDefinition, casesOf } from "../../case.ts";

/** P7: what a release gives back. */
export const release: readonly CaseDefinition[] = casesOf({ rule: "P7", needs: ["permits"] }, [
  {
    name: "a release gives back the end of a block and keeps its beginning",
    async run(context) {
      const key = await context.permitKey();
      const block = await key.take({ count: 5 });
      await key.release(block, 2);
      for (let i = 2; i < 7; i++)
        key.at(
          (await key.take()).atMs,
          block.atMs + i * key.everyMs,
          `reservation ${i - 1} after two of five were kept`,
        );
    },
  },
  {
    name: "a block in the middle gives back single instants, in order",
    async run(context) {
      const key = await context.permitKey();
      const block = await key.take({ count: 4 });
      const last = await key.take();
      await key.release(block, 1);
      for (let i = 1; i < 4; i++)
        key.at((await key.take()).atMs, block.instants[i] as number, `reservation ${i} after one of four was kept`);
      key.at((await key.take()).atMs, last.atMs + key.everyMs, "the reservation after all are used");
    },
  },
  {
    name: "the last reservation given back is as if it had never been",
    async run(context) {
      const key = await context.permitKey({ maxReserved: 2 });
      const given = [];
      for (let answer = await key.ask(); answer.reservation.granted > 0; answer = await key.ask()) given.push(answer);
      for (const taken of given.reverse()) {
        await key.release(taken);
        const again = await key.take({ maxReserved: 50 });
        const dueMs = taken.instants[0] as number;
        key.at(
          again.atMs,
          Math.max(dueMs, dueMs === given.at(-1)?.instants[0] ? again.reservation.storeTimeMs : 0),
          "the reservation in its place",
        );
        await key.release(again);
      }
      const all = await key.take({ maxReserved: 0 });
      key.at(all.atMs, all.reservation.storeTimeMs, "a permit once everything was given back");
    },
  },
  {
    name: "a unit of a burst that is given back can be used again",
    async run(context) {
      const key = await context.permitKey({ burst: 2, maxReserved: 0 });
      await key.take();
      for (let i = 0; i < 3; i++) await key.release(await key.take());
      await key.take();
      await key.refused({}, "the burst of 2 is used up and the bound is 0");
    },
  },
  {
    name: "a release that keeps all, or more than there are, gives back nothing",
    async run(context) {
      const key = await context.permitKey();
      const block = await key.take({ count: 3 });
      const last = await key.take();
      for (const keep of [3, 4, 1_000]) await key.release(block, keep);
      key.at((await key.take()).atMs, last.atMs + key.everyMs, "the reservation after releases that keep everything");
      await key.release(block, 1);
      for (const keep of [2, 3]) await key.release(block, keep);
      key.at((await key.take()).atMs, block.instants[1] as number, "the first reservation after one of three was kept");
      key.at((await key.take()).atMs, block.instants[2] as number, "the second");
      key.at((await key.take()).atMs, last.atMs + 2 * key.everyMs, "the third: more was not given back");
    },
  },
  {
    name: "a release of an id that was never reserved succeeds and changes nothing",
    async run(context) {
      const key = await context.permitKey();
      await key.release({ request: key.request() });
      const first = await key.take();
      await key.release({ request: key.request() });
      key.at((await key.take()).atMs, first.atMs + key.everyMs, "the reservation after it");
    },
  },
  {
    name: "a block can be given back bit by bit",
    async run(context) {
      const key = await context.permitKey();
      const block = await key.take({ count: 4 });
      for (const keep of [3, 1, 0]) await key.release(block, keep);
      const first = await key.take();
      context.that(
        first.atMs - first.reservation.storeTimeMs <= 0.1 || Math.abs(first.atMs - block.atMs) <= 0.1,
        "after a whole block was given back, bit by bit, the next permit is not due at once",
      );
    },
  },
]);
