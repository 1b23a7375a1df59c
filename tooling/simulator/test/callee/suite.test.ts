import { execFile } from "node:child_process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { parseOptions } from "../../src/callee/suite/options.ts";
import { summarise } from "../../src/callee/suite/results.ts";
import { tables } from "../../src/callee/suite/table.ts";
import { missedBy, targetOf } from "../../src/callee/suite/targets.ts";

const main = fileURLToPath(new URL("../../src/callee/main.ts", import.meta.url));
const hooks = pathToFileURL(fileURLToPath(new URL("../../../bootstrap/src/from-sources.ts", import.meta.url))).href;

function simulate(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ["--import", hooks, main, ...args],
      { maxBuffer: Number.POSITIVE_INFINITY },
      (error, stdout, stderr) => {
        resolve({ code: Number(error?.code ?? 0), stdout, stderr });
      },
    );
  });
}

const VERDICT = {
  goodput: 0.995,
  p99: 1.1,
  settleSeconds: 1,
  jain: 1,
  afterwards: Number.NaN,
  timeouts: 0,
  refused: 0,
  sent: 1,
};

describe("the simulate command", () => {
  it("prints one JSON object and nothing else on standard output, whatever the number of threads", async () => {
    const args = ["--scenario", "burst", "--algorithm", "none,fixed:12", "--seeds", "1", "--json"];
    const [one, two] = await Promise.all([simulate(...args, "--jobs", "1"), simulate(...args, "--jobs", "2")]);
    expect(one).toMatchObject({ code: 0, stdout: two.stdout });
    expect(one.stderr).toContain("2 of 2 runs");
    expect(one.stdout).toMatch(/^\{.*\}\n$/);
    const { results } = JSON.parse(one.stdout) as { results: { goodput: number; p99: number }[] };
    const numbers = {
      seeds: 1,
      goodput: expect.any(Number),
      p99: expect.any(Number),
      settleSeconds: expect.any(Number),
      jain: 1,
    };
    expect(results).toMatchObject([
      { ...numbers, scenario: "S3", algorithm: "none" },
      { ...numbers, scenario: "S3", algorithm: "fixed:12" },
    ]);
    // Without a limit, the reference's own simulation had 9 % and 10.7.
    expect(results[0]?.goodput).toBeCloseTo(0.09, 1);
    expect(results[0]?.p99).toBeCloseTo(10.7, 0);
    expect(results[1]?.goodput).toBeGreaterThan(0.97);
  });

  it("explains itself, and refuses what it does not know", async () => {
    const [help, nothing] = await Promise.all([simulate("--help"), simulate()]);
    expect(help).toMatchObject({ code: 0, stderr: "", stdout: expect.stringContaining("Usage: npm run -s simulate") });
    for (const name of ["suite", "scenario", "algorithm", "seeds", "jobs", "json"])
      expect(help.stdout).toContain(`--${name}`);
    expect(nothing).toMatchObject({ code: 2, stdout: "" });
    expect(nothing.stderr).toContain("nothing to do: give --suite, --scenario or --algorithm");
    expect(() => parseOptions(["--scenario", "S99"])).toThrow(/--scenario has "S99"; give some of overload/);
    expect(() => parseOptions(["--algorithm", "reno"])).toThrow(/--algorithm has "reno"; give some of none/);
    expect(() => parseOptions(["--suite", "--seeds", "0"])).toThrow(/--seeds is "0"; give a whole number >= 1/);
    expect(parseOptions(["--suite"])).toMatchObject({ seeds: 10, json: false });
  });
});

describe("the results of the suite", () => {
  it("are means over the seeds, with the worst seed beside them", () => {
    const worse = { ...VERDICT, goodput: 0.5, p99: 3, settleSeconds: 9, jain: 0.8 };
    expect(summarise("S1", "vegas", [VERDICT, worse])).toMatchObject({
      seeds: 2,
      goodput: 0.7475,
      p99: 2.05,
      settleSeconds: 5,
      jain: 0.9,
      afterwards: null,
      worst: { goodput: 0.5, p99: 3, settleSeconds: 9, jain: 0.8 },
    });
  });

  it("stand beside the targets: reached, or by how much not", () => {
    const result = summarise("S1", "automatic+signal", [VERDICT]);
    expect(tables([result])).toMatch(/automatic\+signal .* reached\n/);
    const short = summarise("S1", "automatic+signal", [{ ...VERDICT, goodput: 0.96, settleSeconds: 4.5 }]);
    expect(tables([short])).toMatch(/goodput 0\.030 short, settleSeconds 2\.5 over\n/);
    // The looser target is for those that see latency alone.
    expect(tables([summarise("S1", "automatic", [{ ...VERDICT, goodput: 0.975, p99: 1.25 }])])).toMatch(/ reached\n/);
  });

  it("have a target for every scenario of the reference", () => {
    for (const number of [1, 2, 3, 4, 5, 6, 7, 8, 9]) {
      const target = targetOf(`S${number}`, true);
      if (target === undefined) throw new Error(`S${number} has no target`);
      expect(
        missedBy(target, { goodput: 0, p99: 9, settleSeconds: 99, jain: 0, timeouts: 1, refused: 1, sent: 9 }),
      ).not.toEqual([]);
    }
  });
});
