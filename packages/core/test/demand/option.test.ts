import { expect, it } from "vitest";
import {
  type CoordinationStore,
  createThrottle,
  MemoryStore,
  type StoreCapabilities,
  type ThrottleOptions,
} from "../../src/index.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";

const runtime = new VirtualRuntime({ seed: 1 });

function refusal(options: Partial<Omit<ThrottleOptions, "shares">> & { readonly shares?: string }): string {
  try {
    createThrottle({ name: "g", max: 1, store: new MemoryStore({ runtime }), runtime, ...options } as ThrottleOptions);
  } catch (error) {
    return (error as Error).message;
  }
  return "accepted";
}

it("shares are even or by demand, and nothing else", () => {
  expect(refusal({ shares: "demand" })).toBe("accepted");
  expect(refusal({ shares: "even" })).toBe("accepted");
  expect(refusal({ shares: "greedy" })).toMatch(/shares is "greedy"; give "even" or "demand"/);
});

it("a store that divides evenly only refuses shares by demand, and says what to do", () => {
  const store = new MemoryStore({ runtime });
  const { demand: _, ...capabilities } = store.capabilities;
  Object.assign(store, { capabilities: { ...capabilities, name: "plain" } });
  expect(refusal({ store, shares: "demand" })).toMatch(/the plain store divides evenly only; give "even", or use/);
});

/** A store with other capabilities. */
function storeThat(capabilities: Partial<StoreCapabilities>): CoordinationStore {
  const store = new MemoryStore({ runtime });
  return Object.assign(store, { capabilities: { ...store.capabilities, ...capabilities } });
}

/** How a throttle shares: one that shares by demand says with its first registration what it wants. */
async function sharesOf(options: Partial<ThrottleOptions>): Promise<"even" | "demand"> {
  const { store = storeThat({}), ...more } = options;
  let saysWant: boolean | undefined;
  const register = store.register.bind(store);
  store.register = (group, registration, signal) => {
    saysWant = registration.demand !== undefined;
    return register(group, registration, signal);
  };
  const throttle = createThrottle({ name: "g", max: 10, store, runtime, ...more });
  await throttle.start();
  await throttle.stop();
  return saysWant ? "demand" : "even";
}

it.each([
  ["by demand", {}, "demand"],
  ["evenly where tokens are spaced over the epoch: even shares are spaced over the fleet", { release: "even" }, "even"],
  ["evenly where a changed want is a costly write", { store: storeThat({ demandMembers: 50 }) }, "even"],
  ["evenly where the store divides evenly only", { store: storeThat({ demand: false }) }, "even"],
  ["as it is told", { shares: "even" }, "even"],
  ["as it is told", { shares: "demand", release: "even" }, "demand"],
  ["as it is told", { shares: "demand", store: storeThat({ demandMembers: 50 }) }, "demand"],
] as const)("a throttle shares %s", async (_, options, shares) => {
  expect(await sharesOf(options)).toBe(shares);
});

it("a throttle shares evenly in the group that it replaces", async () => {
  const store = storeThat({});
  const throttle = createThrottle({ name: "g", max: 10, store, runtime, replaces: { name: "old", max: 10 } });
  await throttle.start();
  const [own, replaced] = await Promise.all([store.inspect("g"), store.inspect("old")]);
  expect([own.members[0]?.want, replaced.members[0]?.want]).toEqual([0, undefined]);
  await throttle.stop();
});
