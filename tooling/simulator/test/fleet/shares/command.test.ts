import { type Ended, runSource } from "@dt-tooling/backends/source-process";
import { describe, expect, it } from "vitest";
import { parseOptions } from "../../../src/fleet/shares/options.ts";

const main = new URL("../../../src/fleet/shares/main.ts", import.meta.url);
const shares = (...args: string[]): Promise<Ended> => runSource(main, ...args);

describe("the shares command", () => {
  it("prints one JSON object and nothing else on standard output, whatever the number of workers", async () => {
    const args = ["--members", "2,3", "--demand", "one-busy,zipf-70", "--shares", "even", "--seconds", "3", "--json"];
    const one = await shares(...args);
    const two = await shares(...args, "--jobs", "2");
    expect(one).toMatchObject({ code: 0, stdout: two.stdout });
    expect(one.stderr).toContain("4 of 4: ");
    expect(one.stdout).toMatch(/^\{.*\}\n$/);
    const { rows } = JSON.parse(one.stdout) as { rows: { members: number; demand: string }[] };
    expect(rows.map(({ members, demand }) => `${members} ${demand}`)).toEqual([
      "2 one-busy",
      "2 zipf-70",
      "3 one-busy",
      "3 zipf-70",
    ]);
    expect(rows[0]).toStrictEqual({
      members: 2,
      demand: "one-busy",
      shares: "even",
      seconds: 3,
      seed: 1,
      reached: expect.closeTo(0.5),
      jain: 1,
      syncsPerMemberSecond: expect.any(Number),
      shareChangesPerMemberMinute: 0,
      lightMedianWaitMs: null,
      lightP99WaitMs: null,
      fullestEpoch: expect.closeTo(0.5),
    });
  });

  it("prints a table without --json", async () => {
    const { stdout } = await shares("--members", "2", "--demand", "saturated", "--shares", "even", "--seconds", "2");
    expect(stdout).toMatch(/^members {2}demand/);
    expect(stdout).toMatch(/^2 {8}saturated {2}even {4}\d+\.\d %/m);
  });

  it("explains itself, and refuses what it does not know", async () => {
    const help = await shares("--help");
    expect(help).toMatchObject({ code: 0, stderr: "", stdout: expect.stringContaining("Usage: npm run -s shares") });
    for (const line of help.stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(120);
    const { code, stdout, stderr } = await shares("--demand", "much");
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain('--demand is "much"; give one or more of one-busy, zipf-70');
    expect(() => parseOptions(["--shares", "evenly"])).toThrow(/--shares is "evenly"; give one or more of even/);
    expect(() => parseOptions(["--members", "2,0"])).toThrow(/--members is "0"; give a whole number from 1 to 10000/);
    expect(() => parseOptions(["--members", ""])).toThrow(/--members is ""/);
    expect(() => parseOptions(["--seconds", "x"])).toThrow(/--seconds is "x"/);
    expect(() => parseOptions(["--jobs", "0"])).toThrow(/--jobs is "0"/);
    expect(() => parseOptions(["--what"])).toThrow(/--what/);
    expect(() => parseOptions(["even"])).toThrow(/even/);
  });
});
