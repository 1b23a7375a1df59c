import { setImmediate } from "node:timers/promises";
import { MemoryStore } from "@dt/core";
import { adopting, newcomer } from "@dt-tooling/simulator/requests";
import { expect, it } from "vitest";
import { FleetStore } from "../src/store-costs/fleet-store.ts";

it("between calls, none is under way: a sync counts wholly before or wholly after", async () => {
  const inner = new MemoryStore();
  const member = newcomer();
  const view = await inner.register("g", member);
  const events: string[] = [];
  let answer = (): void => {};
  const sync = inner.sync.bind(inner);
  inner.sync = async (...call) => {
    events.push("sent");
    await new Promise<void>((resolve) => {
      answer = resolve;
    });
    events.push("answered");
    return sync(...call);
  };
  const store = new FleetStore(inner);
  const first = store.sync("g", member, adopting(view, 2));
  await expect.poll(() => events).toEqual(["sent"]);
  const counted = store.betweenCalls(async () => events.push(`counted ${store.syncs}`));
  await setImmediate();
  const second = store.sync("g", member, adopting(view, 3));
  answer();
  await first;
  await counted;
  await expect.poll(() => events).toEqual(["sent", "answered", "counted 1", "sent"]);
  answer();
  await second;
  expect(store.syncs).toBe(2);
});
