import {
  createAdaptiveRate,
  createAdaptiveThrottle,
  createConcurrencyLimit,
  createGuard,
  createRetryBudget,
} from "@dt/adaptive";
import { createBudget } from "@dt/budget";
import { runConformance } from "@dt/conformance";
import { createPacer, createThrottle, MemoryStore } from "@dt/core";
import { createHttpClient } from "@dt/http";
import { createServerLimit } from "@dt/http/server";
import { createKeyed } from "@dt/keyed";
import { throttleFromNumaflow } from "@dt/numaflow";
import { instrument } from "@dt/otel";
import { throttled } from "@dt/pipeline";
import { expect, it } from "vitest";

/** An object as it would be if its package stood on another version of core. */
function ofOtherVersion<T extends object>(made: T): T {
  Object.defineProperty(made, Symbol.for("@dt/core/version"), { value: "7.8.9" });
  return made;
}

const store = new MemoryStore();
const throttle = ofOtherVersion(createThrottle({ name: "g", max: 1, store }));
const pacer = ofOtherVersion(createPacer({ name: "k", every: "1s", store }));
const limit = ofOtherVersion(createConcurrencyLimit());
const rejection = ofOtherVersion(createAdaptiveThrottle());
const guard = ofOtherVersion(createGuard());
const retry = ofOtherVersion(createRetryBudget());
const parent = ofOtherVersion(createKeyed({ name: "p", limit: { rate: "1/s" }, store }).for("all"));
const call = async () => undefined;
const spec = {
  apiVersion: "numaflow.numaproj.io/v1alpha1",
  kind: "MonoVertex",
  metadata: { name: "m" },
  spec: { limits: { rateLimit: { max: 1 } } },
};
const limits = { requests: { rate: "1/s" } } as const;

it.each<[place: string, option: string, handOver: () => unknown]>([
  ["a guard", "throttle", () => createGuard({ throttle })],
  ["a guard", "pacer", () => createGuard({ pacer })],
  ["a guard", "limit", () => createGuard({ limit })],
  ["a guard", "rejection", () => createGuard({ rejection })],
  ["one call of a guard", "rejection", () => createGuard().run(call, { rejection })],
  ["a budget", "store", () => createBudget({ name: "b", limits, store: ofOtherVersion(new MemoryStore()) })],
  [
    "a keyed limit",
    "store",
    () => createKeyed({ name: "k", limit: { rate: "1/s" }, store: ofOtherVersion(new MemoryStore()) }),
  ],
  ["a keyed limit", "parent", () => createKeyed({ name: "k", limit: { rate: "1/s" }, store, parent })],
  ["an adaptive rate", "throttle", () => createAdaptiveRate({ throttle })],
  ["an HTTP client", "throttle", () => createHttpClient({ throttle })],
  ["an HTTP client", "pacer", () => createHttpClient({ pacer })],
  ["an HTTP client", "limit", () => createHttpClient({ limit })],
  ["an HTTP client", "rejection", () => createHttpClient({ rejection })],
  ["an HTTP client", "retry", () => createHttpClient({ retry })],
  ["an HTTP client for one callee", "limit", () => createHttpClient({ limit: () => limit }).fetch("http://x.test/")],
  ["an HTTP client for one callee", "retry", () => createHttpClient({ retry: () => retry }).fetch("http://x.test/")],
  ["an HTTP server", "limit", () => createServerLimit({ limit })],
  ["a policy of an HTTP server", "throttle", () => createServerLimit({ policies: [{ name: "p", throttle }] })],
  ["a policy of an HTTP server", "pacer", () => createServerLimit({ policies: [{ name: "p", pacer }] })],
  [
    "a throttle of a Numaflow spec",
    "store",
    () => throttleFromNumaflow(spec, "m", { store: ofOtherVersion(new MemoryStore()) }),
  ],
  ["metrics", "source", () => instrument(throttle)],
  ["a pipeline", "throttle", () => throttled([], call, { throttle })],
  ["a pipeline", "pacer", () => throttled([], call, { pacer })],
  ["a pipeline", "limit", () => throttled([], call, { limit })],
  ["a pipeline", "rejection", () => throttled([], call, { rejection })],
  ["a pipeline", "guard", () => throttled([], call, { guard })],
])("%s refuses a part of another version of core: %s", async (_, option, handOver) => {
  await expect(async () => handOver()).rejects.toMatchObject({
    code: "DT_INVALID_OPTION",
    message: expect.stringMatching(`^${option} was made with @dt/core 7\\.8\\.9 and is given to @dt/core sources; `),
  });
});

it("the conformance suite refuses a store of another version of core", async () => {
  const { capabilities } = store;
  const createStore = () => ofOtherVersion(new MemoryStore());
  const report = await runConformance({ name: "other", capabilities, createStore }, { filter: "R4" });
  expect(report.passed).toBe(0);
  expect(report.failures.length).toBeGreaterThan(0);
  for (const { summary } of report.failures)
    expect(summary).toContain("the store of createStore() was made with @dt/core 7.8.9");
});
