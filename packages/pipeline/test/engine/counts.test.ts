import { throttled } from "@dt/pipeline";
import { expect, test } from "vitest";

test("the counts say exactly as many records as the checkpoint was told of, whenever it asks", async () => {
  const told: { readonly heard: number; readonly counted: number }[] = [];
  const sources = Array.from({ length: 20 }, (_, n) => n);
  const pipeline = throttled(
    sources,
    async (n: number) => {
      if (n % 3 === 0) throw new Error("no");
      return n;
    },
    {
      rejection: false,
      checkpoint: {
        begin: () => undefined,
        ended: async () => {
          const { success, error } = pipeline.status();
          told.push({ heard: told.length + 1, counted: success + error });
          await new Promise((done) => setTimeout(done, 1));
        },
        save: async () => undefined,
      },
    },
  );
  await pipeline.run();
  expect(told).toHaveLength(20);
  for (const { heard, counted } of told) expect(counted).toBe(heard);
});
