import { expect, it } from "vitest";
import { createThrottle, MemoryStore, type ThrottleOptions } from "../../src/index.ts";
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
