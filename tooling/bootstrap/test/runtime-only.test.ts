import { describe, expect, it } from "vitest";
import { complaintsAbout } from "./lint-texts.ts";

describe("time and chance in a package", () => {
  it.each([
    "export const at = Date.now();",
    "export const clock = Date.now;",
    "export const at = new Date();",
    "export const at = new Date;",
    "export const text = Date();",
    "export const at = performance.now();",
    "export const at = globalThis.performance.now();",
    "export const at = process.hrtime.bigint();",
    "export const at = process.hrtime();",
    "export const id = setTimeout(() => {}, 1);",
    "export const id = globalThis.setTimeout(() => {}, 1);",
    "export const id = setInterval(() => {}, 1);",
    "export const id = setImmediate(() => {});",
    "export const signal = AbortSignal.timeout(1);",
    "export const chance = Math.random();",
    "export const random = Math.random;",
    "export const id = crypto.randomUUID();",
    'import { setTimeout as sleep } from "node:timers/promises";\nexport { sleep };',
    'import { performance as clock } from "node:perf_hooks";\nexport { clock };',
    'import { randomUUID } from "node:crypto";\nexport { randomUUID };',
  ])("may not come from %s", (text) => {
    expect(complaintsAbout("packages/core/src/example.ts", text)).toHaveLength(1);
  });

  it.each([
    "export const day = new Date(0).toUTCString();",
    "export const at = (runtime: { now(): number }) => runtime.now();",
    "export const signal = AbortSignal.abort();",
    'import { createHash } from "node:crypto";\nexport { createHash };',
  ])("leave alone what reads neither: %s", (text) => {
    expect(complaintsAbout("packages/core/src/example.ts", text)).toEqual([]);
  });

  it.each([
    "packages/core/src/runtime/platform-time.ts",
    "packages/core/src/runtime/system-runtime.ts",
    "packages/core/test/example.test.ts",
    "apps/cli/src/example.ts",
    "bench/src/example.ts",
  ])("are free in %s", (file) => {
    expect(complaintsAbout(file, "export const at = [Date.now(), setTimeout(() => {}, 1)];")).toEqual([]);
  });
});
