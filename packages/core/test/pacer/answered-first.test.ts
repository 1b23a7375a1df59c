import { expect, it } from "vitest";
import type { Pacer, PermitLedger } from "../../src/index.ts";
import { pacerWorld } from "../support/pacer-world.ts";

const ways: readonly (readonly [string, (pacer: Pacer, use: () => void) => Promise<unknown>])[] = [
  ["acquire", async (pacer, use) => pacer.acquire().then(use)],
  ["acquire within an async function", async (pacer, use) => (async () => pacer.acquire())().then(use)],
  ["wrap", (pacer, use) => pacer.wrap(use)()],
  [
    "batches",
    async (pacer, use) => {
      for await (const _batch of pacer.batches(["one"])) use();
    },
  ],
];

it.each(ways)(
  "%s: whoever is given a permit goes on before the store is asked again, which may work in place as SQLite's does",
  async (_name, takePermit) => {
    const { runtime, store, create } = pacerWorld({ every: 100 });
    const seen: string[] = [];
    const recording: PermitLedger = {
      reserve: (key, request) => {
        seen.push("store");
        return store.reserve(key, request);
      },
      release: (key, release) => {
        seen.push("store");
        return store.release(key, release);
      },
    };
    await using pacer = create({ store: recording });
    pacer.on("grant", () => seen.push("granted"));
    const all = Promise.all(Array.from({ length: 40 }, () => takePermit(pacer, () => seen.push("used"))));
    await runtime.advance(5_000);
    await all;
    expect(seen.filter((what) => what === "used")).toHaveLength(40);
    const afterGrants = seen.filter((_what, i) => seen[i - 1] === "granted");
    expect(new Set(afterGrants)).toEqual(new Set(["used"]));
  },
);
