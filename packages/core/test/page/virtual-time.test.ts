import { createPacer, MemoryStore } from "@dt/core";
import { VirtualRuntime } from "@dt/core/testing";
import { expect, it } from "vitest";

it("makes a call every 200 ms", async () => {
  const runtime = new VirtualRuntime();
  const store = new MemoryStore({ runtime });
  const pacer = createPacer({ name: "partner-api", every: "200ms", store, runtime });
  const at: number[] = [];
  const call = pacer.wrap(async () => void at.push(runtime.now()));
  const all = Promise.all([call(), call(), call()]);
  await runtime.advance(1_000);
  await all;
  expect(at).toEqual([0, 200, 400]);
  await pacer.stop();
});
