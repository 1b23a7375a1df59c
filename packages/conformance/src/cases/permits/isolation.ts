import { type CaseDefinition, casesOf } from "../../case.ts";
import type { CaseContext } from "../../context.ts";
import { HOSTILE, NEAR_MISSES } from "../../hostile-names.ts";
import type { PermitKey } from "../../permits/permit-key.ts";

/** P9: keys and ids are told apart by their whole names. */
export const isolation: readonly CaseDefinition[] = casesOf({ rule: "P9", needs: ["permits"] }, [
  {
    name: "keys with hostile names are keys like any other, and see no other key",
    async run(context) {
      const unique = context.group();
      await apart(
        context,
        HOSTILE.map((text) => `${text}${unique}${text}`),
      );
    },
  },
  {
    name: "keys whose names differ only in case, space, accents, their last byte, or by one being the beginning of the other are different keys",
    async run(context) {
      const unique = context.group();
      const ascii = unique.padEnd(1_023, "x");
      const wide =
        unique + "日".repeat(Math.floor((1_023 - unique.length) / 3)) + "x".repeat((1_023 - unique.length) % 3);
      await apart(context, [
        ...NEAR_MISSES.map((text) => `${text}-${unique}-${text}`),
        ...["", ":", ":1", ":queue", ":freed", ":entries", "/", "%", "_"].map((end) => `${unique}${end}`),
        `{${unique}}`,
        `{${unique}}:permits`,
        ...[`${ascii}a`, `${ascii}b`, ascii, `${wide}a`, `${wide}b`],
      ]);
    },
  },
  {
    name: "ids with hostile names, and of 1,024 bytes with a key of 1,024 bytes, are ids like any other",
    async run(context) {
      const long = [`${"x".repeat(1_023)}a`, `${"x".repeat(1_023)}b`];
      const ids = [...new Set([...HOSTILE, ...NEAR_MISSES, ...long])];
      const key = await context.permitKey({ maxReserved: 1_000 }, context.group().padEnd(1_024, "k"));
      const taken = [];
      for (const id of ids) taken.push(await key.take({ id }));
      // A part of them: a document that holds all of these is written with each call.
      for (const { request, atMs } of taken.filter((_, index) => index % 3 === 0 || index >= HOSTILE.length))
        key.at(
          (await key.send(request)).instants[0],
          atMs,
          `the repeat of id ${JSON.stringify(request.id.slice(0, 40))}`,
        );
      const inQueue = long.map((id) =>
        key.request({ id: `${id.slice(1)}l`, maxReserved: 0, queueMs: context.ms(60_000) }),
      );
      for (const request of inQueue) await key.send(request);
      for (const request of inQueue) await key.release({ request });
      const freed = taken.at(-2) as (typeof taken)[0];
      await key.release(freed);
      key.at((await key.take()).atMs, freed.atMs, "the reservation after one of 1,024 bytes was given back");
    },
  },
  {
    name: "one id in two keys is a reservation in each",
    async run(context) {
      const [one, two] = [await context.permitKey(), await context.permitKey()];
      await one.take();
      const first = await one.take({ id: "same" });
      await one.take();
      const second = await two.take({ id: "same", count: 2 });
      await two.release({ request: second.request }, 1);
      const again = await one.send(first.request);
      context.equal(
        again.reservation.granted,
        1,
        "granted to a repeat after the same id was given back in another key",
      );
      await one.release(first);
      one.at((await one.take()).atMs, first.atMs, "the reservation after a release in its own key");
    },
  },
  {
    name: "a key and a group of the same name have nothing to do with each other",
    needs: ["permits", "ledger"],
    async run(context) {
      const name = context.group();
      const key = await context.permitKey({}, name);
      const member = context.member(await context.store(), name);
      const first = await key.take();
      await member.join();
      key.at(
        (await key.take()).atMs,
        first.atMs + key.everyMs,
        "the permit after a member joined the group of that name",
      );
      context.equal((await member.beat()).held, 100, "held of a member whose group's name is a key", "R15");
      await member.leave();
      key.at((await key.take()).atMs, first.atMs + 2 * key.everyMs, "the permit after it left");
    },
  },
]);

/** Every key is new to its first caller, has its own distance afterwards, and its own releases. */
async function apart(context: CaseContext, names: readonly string[]): Promise<void> {
  const keys: PermitKey[] = [];
  for (const [index, name] of [...new Set(names)].entries())
    keys.push(await context.permitKey({ everyMs: context.ms(10_000) + index }, name));
  const begin = async (key: PermitKey): Promise<number> => {
    const { atMs, reservation } = await key.take({ id: "same-1" });
    key.at(atMs, reservation.storeTimeMs, `the first permit of key ${shown(key)}`);
    return atMs;
  };
  const starts: number[] = [];
  await inPortions(keys, async (key, index) => {
    starts[index] = await begin(key);
  });
  await inPortions(keys, async (key, index) => {
    const second = await key.take({ id: "same-2" });
    key.at(second.atMs, (starts[index] as number) + key.everyMs, `the second permit of key ${shown(key)}`);
    if (index % 2 === 0) await key.release(second);
  });
  await inPortions(keys, async (key, index) => {
    const next = (starts[index] as number) + (index % 2 === 0 ? 1 : 2) * key.everyMs;
    key.at((await key.take({ id: "same-3" })).atMs, next, `the third permit of key ${shown(key)}`);
  });
}

/** Not all at once, since a store with one connection answers one after the other. */
async function inPortions(
  keys: readonly PermitKey[],
  run: (key: PermitKey, index: number) => Promise<void>,
): Promise<void> {
  for (let from = 0; from < keys.length; from += 16)
    await Promise.all(keys.slice(from, from + 16).map((key, index) => run(key, from + index)));
}

function shown({ key }: PermitKey): string {
  return JSON.stringify(key.slice(0, 80));
}
