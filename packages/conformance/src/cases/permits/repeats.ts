import { instantOf } from "@dt/core/ledger";
import { type CaseDefinition, casesOf } from "../../case.ts";
import { insist } from "../../permits/insist.ts";
import type { PermitStore } from "../../permits/permit-store.ts";

/** P6: what arrives twice. */
export const repeats: readonly CaseDefinition[] = casesOf({ rule: "P6", needs: ["permits"] }, [
  {
    name: "the same id again is answered the same reservation, by any client, also when others reserved meanwhile",
    why: "a caller whose answer was lost asks again, and must not pay twice",
    async run(context) {
      const key = await context.permitKey();
      await key.take();
      const [one, block] = [await key.take(), await key.take({ count: 3 })];
      const last = await key.take();
      const other = await context.permitClient();
      for (const first of [one, block]) {
        for (const store of [other, await context.permitStore()]) {
          const again = await key.send(first.request, store);
          context.equal(again.reservation.granted, first.reservation.granted, "granted when the same id asks again");
          for (const [i, atMs] of first.instants.entries())
            key.at(again.instants[i], atMs, `instant ${i + 1} of the repeat`);
        }
      }
      key.at((await key.take()).atMs, last.atMs + key.everyMs, "the reservation after four repeats");
    },
  },
  {
    name: "one request that arrives many times at the same time is one reservation",
    async run(context) {
      const key = await context.permitKey();
      const stores = [await context.permitStore(), await context.permitClient(), await context.permitClient()];
      const request = key.request({ count: 2 });
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, i) =>
          insist(context, () => (stores[i % stores.length] as PermitStore).reserve(key.key, request)),
        ),
      );
      const starts = new Set(answers.map((answer) => Math.round(instantOf(answer, 0))));
      context.equal(
        starts.size,
        1,
        "different first instants answered to one request that arrived twelve times at once",
      );
      const next = await stores[0]?.reserve(key.key, key.request());
      const gapMs = (next?.firstMs ?? 0) - ([...starts][0] as number);
      context.that(
        Math.abs(gapMs - 2 * key.everyMs) <= 1,
        `the next permit is ${gapMs} ms after the first of two; ${2 * key.everyMs} ms is right`,
      );
    },
  },
  {
    name: "a reservation is known until keepMs after its last instant",
    async run(context) {
      const key = await context.permitKey({ everyMs: context.ms(40), keepMs: context.ms(5_000) });
      const block = await key.take({ count: 3 });
      await context.sleep(context.ms(250));
      const again = await key.send(block.request);
      context.equal(again.reservation.granted, 3, "granted to a repeat after the instants, before keepMs is over");
      for (const [i, atMs] of block.instants.entries())
        key.at(again.instants[i], atMs, `instant ${i + 1} of the repeat`);
    },
  },
  {
    name: "after that its id is forgotten",
    why: "a ledger that forgets nothing grows for ever",
    async run(context) {
      const key = await context.permitKey({ everyMs: context.ms(50), keepMs: context.ms(100) });
      const old = await key.take({ id: "again" });
      await context.until(
        async () => {
          // Others keep the key in use; a ledger may forget as they come.
          await key.take();
          const { instants } = await key.ask({ id: "again" });
          return (instants[0] ?? old.atMs) > old.atMs ? true : undefined;
        },
        "an id is still answered its old reservation long after keepMs",
        60,
      );
    },
  },
  {
    name: "releasing twice frees once",
    async run(context) {
      const key = await context.permitKey();
      const [, b, c, d] = [await key.take(), await key.take(), await key.take(), await key.take()];
      for (const taken of [d, d, d]) await key.release(taken);
      key.at((await key.take()).atMs, d.atMs, "the reservation after the last one was given back three times");
      key.at((await key.take()).atMs, d.atMs + key.everyMs, "the reservation after that");
      for (const taken of [b, b]) await key.release(taken);
      const { atMs } = await key.take();
      key.at(atMs, b.atMs, "the reservation after one in the middle was given back twice");
      await key.release(b, 0, await context.permitClient());
      key.at((await key.take()).atMs, d.atMs + 2 * key.everyMs, "the reservation after a late repeat of that release");
      context.that(c.atMs < d.atMs, "instants went back");
    },
  },
  {
    name: "one release that arrives many times at the same time frees once",
    async run(context) {
      const key = await context.permitKey();
      const stores = [await context.permitStore(), await context.permitClient(), await context.permitClient()];
      const [, b, , d] = [await key.take(), await key.take(), await key.take(), await key.take()];
      for (const taken of [b, d]) {
        const release = { id: taken.request.id, keep: 0 };
        await Promise.all(
          Array.from({ length: 9 }, (_, i) =>
            insist(context, () => (stores[i % stores.length] as PermitStore).release(key.key, release)),
          ),
        );
        await key.release(taken);
      }
      const next = [await key.take(), await key.take(), await key.take()].map(({ atMs }) => atMs);
      key.at(next[0], b.atMs, "the first reservation after two were given back nine times each");
      key.at(next[1], d.atMs, "the second");
      key.at(next[2], d.atMs + key.everyMs, "the third");
    },
  },
  {
    name: "a request that arrives again after its reservation was given back reserves nothing",
    why: "a late copy of it would take a permit that no caller will use",
    async run(context) {
      const key = await context.permitKey();
      const [, b, , block] = [await key.take(), await key.take(), await key.take(), await key.take({ count: 4 })];
      await key.release(b);
      await key.release(block, 1);
      context.equal((await key.send(b.request)).reservation.granted, 0, "granted to the repeat of what was given back");
      const part = await key.send(block.request);
      context.equal(part.reservation.granted, 1, "granted to the repeat of a block of which one was kept");
      key.at(part.instants[0], block.atMs, "its instant");
      key.at((await key.take()).atMs, b.atMs, "the next reservation");
    },
  },
]);
