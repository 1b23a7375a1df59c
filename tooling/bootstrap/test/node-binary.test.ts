import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { type NodeMajor, nodeBinary } from "../src/node-binary.ts";

const promised = { 20: "v20.19.0", 22: "v22.13.0", 24: "v24.21.0" } as const;

describe("the Node binaries", () => {
  it.each([20, 22, 24] as const)("include Node %i in the version that the packages promise", (major) => {
    const version = execFileSync(nodeBinary(major), ["--version"], { encoding: "utf8" }).trim();
    expect(version).toBe(promised[major]);
  });

  it("name what is missing when a version is not there", () => {
    expect(() => nodeBinary(18 as NodeMajor)).toThrow(/no Node 18 for/);
  });
});
