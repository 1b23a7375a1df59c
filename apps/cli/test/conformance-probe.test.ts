import { MemoryStore } from "@dt/core";
import { expect, it } from "vitest";
import type { LoadedTarget } from "../src/conformance/check-target.ts";
import { probeStore } from "../src/conformance/probe-store.ts";

const { capabilities } = new MemoryStore();

it("a target that never makes its store is named after a while, instead of waited for", async () => {
  const target: LoadedTarget = { name: "slow", capabilities, createStore: () => new Promise(() => {}) };
  await expect(probeStore(target, "slow.mjs", 20)).rejects.toThrow(
    "slow.mjs: createStore() failed: it gave no store within 0.02 s; return the store, or a promise that settles",
  );
});

it("a target that makes one is not", async () => {
  await probeStore({ name: "quick", capabilities, createStore: async () => new MemoryStore() }, "quick.mjs", 5_000);
});

it("a store of another version of core is named once, instead of in every case", async () => {
  const createStore = () =>
    Object.defineProperty(new MemoryStore(), Symbol.for("@dt/core/version"), { value: "7.8.9" });
  await expect(probeStore({ name: "other", capabilities, createStore }, "other.mjs", 5_000)).rejects.toThrow(
    "other.mjs: the store of createStore() was made with @dt/core 7.8.9 and is given to @dt/core sources; a program needs one version",
  );
});
