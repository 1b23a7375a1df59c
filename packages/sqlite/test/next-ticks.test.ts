import { DatabaseSync } from "node:sqlite";
import { createPacer, type Pacer } from "@dt/core";
import { expect, it } from "vitest";
import { ref, registration, report } from "./support/registration.ts";
import { Sandbox } from "./support/sandbox.ts";

const sandbox = new Sandbox();

/** Says how often the file has been changed, as another user of it sees it. */
function changesOf(path: string): () => number {
  const observer = new DatabaseSync(path);
  const version = observer.prepare("PRAGMA data_version");
  return () => (version.get() as { readonly data_version: number }).data_version;
}

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

it.each(ways)("%s: whoever is given a permit goes on before the pacer asks again", async (_name, takePermit) => {
  const path = sandbox.path();
  const store = sandbox.store(path);
  await store.inspect("g");
  const changes = changesOf(path);
  const granted: number[] = [];
  const used: number[] = [];
  await using pacer = createPacer({ name: "k", every: "2ms", store });
  pacer.on("grant", () => granted.push(changes()));
  await Promise.all(Array.from({ length: 100 }, () => takePermit(pacer, () => used.push(changes()))));
  expect(used).toHaveLength(100);
  expect(used).toEqual(granted);
});

it("of calls made at once, each is answered, and who waits for it goes on, before the next begins", async () => {
  const path = sandbox.path();
  const store = sandbox.store(path);
  for (const id of ["a", "b", "c"]) await store.register("g", registration(id));
  const changes = changesOf(path);
  const before = changes();
  const seen = await Promise.all(
    ["a", "b", "c"].map(async (id) => {
      await store.sync("g", ref(id), report(2));
      for (let step = 0; step < 1_000; step++) await undefined;
      return changes() - before;
    }),
  );
  expect(seen).toEqual([1, 2, 3]);
});
