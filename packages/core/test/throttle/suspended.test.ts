import { expect, test } from "vitest";
import { type CoordinationStore, createThrottle, MemoryStore } from "../../src/index.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";

const MAX = 60;

/** The store as a machine sees it whose answers are under way for `wayMs`, on its own clock. */
function slowLink(store: MemoryStore, machine: VirtualRuntime) {
  const link = { wayMs: 0, answeredMs: 0 };
  const sync: CoordinationStore["sync"] = async (...args) => {
    const answer = await store.sync(...args);
    link.answeredMs = machine.now();
    if (link.wayMs > 0) await new Promise<void>((resolve) => void machine.setTimer(resolve, link.wayMs));
    return answer;
  };
  const others = {
    capabilities: store.capabilities,
    register: store.register.bind(store),
    deregister: store.deregister.bind(store),
    inspect: store.inspect.bind(store),
    watch: store.onHint.bind(store),
    close: store.close.bind(store),
  };
  return Object.assign(link, { store: { ...others, sync } satisfies CoordinationStore });
}

test("an answer from before the machine was suspended is not believed, also where a grant noticed that first", async () => {
  const world = new VirtualRuntime({ startMs: 1_000_000 });
  const machine = new VirtualRuntime({ startMs: 5_000, seed: 2 });
  const store = new MemoryStore({ runtime: world });
  const link = slowLink(store, machine);
  const sleeper = createThrottle({ name: "g", max: MAX, shares: "even", store: link.store, runtime: machine });
  const other = createThrottle({ name: "g", max: MAX, shares: "even", store, runtime: world });
  const granted = new Map<number, number>();
  let started = false;
  const count = (tokens: number): void => {
    const epoch = Math.floor(world.now() / 1_000);
    granted.set(epoch, (granted.get(epoch) ?? 0) + tokens);
  };
  const pass = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += 10) {
      await world.advance(10);
      await machine.advance(10);
      if (started) for (const throttle of [sleeper, other]) count(throttle.tryAcquireUpTo(MAX));
    }
  };
  const starts = [sleeper.start(), other.start()];
  await pass(10);
  await Promise.all(starts);
  started = true;
  await pass(6_000);
  expect(sleeper.status()).toMatchObject({ agreed: true, share: MAX / 2 });

  // It falls asleep shortly before an epoch ends, while an answer is under way.
  link.wayMs = 200;
  link.answeredMs = 0;
  const fallsAsleep = (): boolean => {
    const intoMs = world.now() % 1_000;
    return link.answeredMs > 0 && machine.now() - link.answeredMs < 20 && intoMs > 850 && intoMs < 960;
  };
  for (let tries = 0; tries < 5_000 && !fallsAsleep(); tries++) await pass(10);
  expect(fallsAsleep()).toBe(true);
  machine.suspend(20_000);
  for (let passed = 0; passed < 20_000; passed += 10) {
    await world.advance(10);
    count(other.tryAcquireUpTo(MAX));
  }
  expect(other.status().share).toBe(MAX);
  const awake = Math.floor(world.now() / 1_000);
  await pass(3_000);
  // Of the epoch in which it woke: it may not have looked yet.
  for (const [epoch, tokens] of granted) if (epoch > awake) expect(tokens, String(epoch)).toBeLessThanOrEqual(MAX);
  expect(sleeper.status().members).toBe(2);
});
