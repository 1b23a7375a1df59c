import { type Ended, runSource } from "@dt-tooling/backends/source-process";
import { describe, expect, it } from "vitest";
import { parseOptions } from "../src/options.ts";

const main = new URL("../src/main.ts", import.meta.url);
const model = (...args: string[]): Promise<Ended> => runSource(main, ...args);

describe("the model command", () => {
  it("prints one JSON object and nothing else on standard output", async () => {
    const { code, stdout, stderr } = await model("--members", "1", "--traps", "raise-in-same-epoch", "--json");
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      ...{ states: expect.any(Number), transitions: expect.any(Number), depth: expect.any(Number), violations: 0 },
      traps: [{ name: "raise-in-same-epoch", caught: true, steps: 2 }],
    });
    expect(stderr).toMatch(/no violation; \d+ states, \d+ transitions, depth \d+, exhausted/);
    expect(stderr).toMatch(/A registers, claims 0, max 4/);
  });

  it("explains itself, and refuses what it does not know", async () => {
    expect((await model("--help")).stdout).toContain("Usage: npm run -s model");
    const { code, stdout, stderr } = await model("--members", "many");
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain('--members is "many"; give a whole number from 1 to 4');
    expect(() => parseOptions(["--from", "here"])).toThrow(/--from is "here"; give empty, agreed or both/);
    expect(() => parseOptions(["--quiet-rule"])).toThrow(/--stale is 2 with --quiet-rule; give a multiple of 4/);
    expect(() => parseOptions(["--what"])).toThrow(/--what/);
  });
});
