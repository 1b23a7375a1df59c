import { describe, expect, it } from "vitest";
import { admitsNode } from "../../src/smoke/node-range.ts";

describe("engines.node", () => {
  it.each([
    [">=20.19", "20.19.0", true],
    [">=20.19", "20.18.3", false],
    [">=20.19", "22.0.0", true],
    [">=22.13", "20.19.0", false],
    [">=22.13.1", "22.13.0", false],
  ])("%s, Node %s: %s", (range, version, expected) => {
    expect(admitsNode(range, version)).toBe(expected);
  });

  it.each([undefined, "^20", ">=20 <23"])("is refused as %s rather than misread", (range) => {
    expect(() => admitsNode(range, "20.19.0")).toThrow(/write it as/);
  });
});
