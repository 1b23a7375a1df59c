import { type CaseDefinition, casesOf } from "../../case.ts";

/** P5: which instant comes next, and what becomes of one that was given back. */
export const order: readonly CaseDefinition[] = casesOf({ rule: "P5", needs: ["permits"] }, [
  {
    name: "who reserves first comes first, whichever client asks",
    async run(context) {
      const key = await context.permitKey();
      const stores = [await context.permitStore(), await context.permitClient(), await context.permitClient()];
      let lastMs = 0;
      for (let i = 0; i < 12; i++) {
        const { atMs } = await key.take({}, stores[i % stores.length]);
        context.that(atMs > lastMs, `reservation ${i + 1} got the instant ${atMs}, and the one before it ${lastMs}`);
        lastMs = atMs;
      }
    },
  },
  {
    name: "an instant that was given back goes to the next reservation, once",
    why: "a caller that gives up must not leave a gap that no other uses",
    async run(context) {
      const key = await context.permitKey();
      const [, b, , last] = [await key.take(), await key.take(), await key.take(), await key.take()];
      await key.release(b);
      const other = await context.permitClient();
      key.at((await key.take({}, other)).atMs, b.atMs, "the reservation after one was given back");
      key.at((await key.take()).atMs, last.atMs + key.everyMs, "the reservation after that");
    },
  },
  {
    name: "of several instants given back the earliest is given first",
    async run(context) {
      const key = await context.permitKey();
      const given = [];
      for (let i = 0; i < 7; i++) given.push(await key.take());
      const [, b, c, , e] = given as [(typeof given)[0], ...typeof given] & typeof given;
      for (const taken of [e, b, c]) await key.release(taken as NonNullable<typeof e>);
      for (const taken of [b, c, e])
        key.at((await key.take()).atMs, taken?.atMs as number, "the next of three instants given back");
      key.at((await key.take()).atMs, (given[6]?.atMs as number) + key.everyMs, "the reservation after all are used");
    },
  },
  {
    name: "an instant whose time has passed is not given again",
    async run(context) {
      const key = await context.permitKey({ everyMs: context.ms(100) });
      const [, b, c] = [await key.take(), await key.take(), await key.take()];
      await key.release(b);
      let lastMs = b.reservation.storeTimeMs;
      while (lastMs <= b.atMs + key.everyMs / 10) {
        await context.sleep(key.everyMs / 4);
        // A look at the time which takes nothing: the next instant is not due.
        const { reservation } = await key.ask({ maxReserved: 0 });
        lastMs = reservation.storeTimeMs;
        if (reservation.granted > 0) break;
      }
      const next = await key.take();
      context.that(
        next.atMs >= Math.max(c.atMs + key.everyMs - 0.1, next.reservation.storeTimeMs - 0.1),
        `the instant ${next.atMs} was given at ${next.reservation.storeTimeMs}, and the last one given is ${c.atMs}`,
      );
    },
  },
  {
    name: "an instant that was given back is too small for a larger cost, and the rest of a larger one stays free",
    async run(context) {
      const key = await context.permitKey();
      const [, small, , large, last] = [
        await key.take(),
        await key.take(),
        await key.take(),
        await key.take({ cost: 3 }),
        await key.take(),
      ];
      await key.release(small);
      key.at(
        (await key.take({ cost: 2 })).atMs,
        last.atMs + key.everyMs,
        "a cost of 2 where an instant of cost 1 is free",
      );
      await key.release(large);
      key.at((await key.take({ cost: 2 })).atMs, large.atMs, "a cost of 2 where an instant of cost 3 is free");
      key.at((await key.take()).atMs, small.atMs, "a cost of 1 where the small instant is still free");
      key.at(
        (await key.take()).atMs,
        large.atMs + 2 * key.everyMs,
        "a cost of 1 where the rest of the large instant is free",
      );
      key.at((await key.take()).atMs, last.atMs + 3 * key.everyMs, "the reservation after all are used");
    },
  },
  {
    name: "an instant that was given back is too short for a longer interval, and is given twice where the interval is half as long",
    why: "an interval is changed while processes run, and the distance must hold meanwhile",
    async run(context) {
      const key = await context.permitKey();
      const [, freed, last] = [await key.take(), await key.take(), await key.take()];
      await key.release(freed);
      const longer = await key.take({ everyMs: 2 * key.everyMs });
      key.at(longer.atMs, last.atMs + key.everyMs, "twice the interval where an instant of the old one is free");
      const everyMs = key.everyMs / 2;
      key.at(
        (await key.take({ everyMs })).atMs,
        freed.atMs,
        "half the interval where an instant of the old one is free",
      );
      key.at((await key.take({ everyMs })).atMs, freed.atMs + everyMs, "half the interval again");
      key.at((await key.take()).atMs, longer.atMs + 2 * key.everyMs, "the reservation after all are used");
    },
  },
  {
    name: "a request that reserves nothing ahead is given no instant that is still to come",
    async run(context) {
      const key = await context.permitKey();
      const [, b] = [await key.take(), await key.take(), await key.take()];
      await key.release(b);
      await key.refused({ maxReserved: 0 }, "the free instant is still to come and the bound is 0");
      key.at((await key.take()).atMs, b.atMs, "the reservation after it");
    },
  },
  {
    name: "a holder that crashes wastes its permits and stops no other",
    why: "what is reserved and never used passes by itself",
    async run(context) {
      const key = await context.permitKey({ everyMs: context.ms(40), maxReserved: 3 });
      const crashed = await key.ask({ count: 5 });
      const lastMs = crashed.instants.at(-1) as number;
      await context.until(
        async () => ((await key.ask()).reservation.granted > 0 ? true : undefined),
        "after a holder crashed no other is given a permit",
      );
      // Once its instants have passed, the key is idle.
      await context.sleep(Math.max(0, lastMs - crashed.reservation.storeTimeMs) + 4 * key.everyMs);
      const { atMs, reservation } = await key.take();
      key.at(atMs, reservation.storeTimeMs, "a permit after all that the crashed holder had reserved has passed");
    },
  },
]);
