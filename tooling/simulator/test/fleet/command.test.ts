import { type Ended, runSource } from "@dt-tooling/backends/source-process";
import { describe, expect, it } from "vitest";
import { parseOptions } from "../../src/fleet/soak/options.ts";

const main = new URL("../../src/fleet/main.ts", import.meta.url);
const soak = (...args: string[]): Promise<Ended> => runSource(main, ...args);

describe("the soak command", () => {
  it("prints one JSON object and nothing else on standard output, whatever the number of workers", async () => {
    const one = await soak("--seeds", "12", "--json");
    const two = await soak("--seeds", "12", "--json", "--jobs", "2");
    expect(one).toMatchObject({ code: 0, stdout: two.stdout });
    expect(one.stderr).toContain("12 of 12 seeds");
    expect(one.stdout).toMatch(/^\{.*\}\n$/);
    expect(JSON.parse(one.stdout)).toStrictEqual({
      seeds: 12,
      violations: 0,
      worstOvershoot: expect.any(Number),
      medianUtilisation: expect.any(Number),
      failingSeeds: [],
    });
  });

  it("explains itself, and refuses what it does not know", async () => {
    const help = await soak("--help");
    expect(help).toMatchObject({ code: 0, stderr: "", stdout: expect.stringContaining("Usage: npm run -s soak") });
    const offered = [...help.stdout.matchAll(/--([a-z]+)/g)].map(([, name]) => name);
    for (const name of ["seeds", "from", "seed", "keep", "trace", "profile", "jobs", "with", "bugs", "only", "scale"])
      expect(offered).toContain(name);
    const { code, stdout, stderr } = await soak("--seeds", "many");
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain('--seeds is "many"; give a whole number >= 1');
    expect(() => parseOptions(["--profile", "x"])).toThrow(/--profile is "x"; give one of atomic/);
    expect(() => parseOptions(["--jobs", "0"])).toThrow(/--jobs is "0"; give a whole number >= 1/);
    expect(() => parseOptions(["--what"])).toThrow(/--what/);
  });
});
