import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { run } from "../support/run.ts";
import { scratchFolder } from "../support/scratch.ts";

const MINE = {
  title: "a small service",
  seconds: 30,
  callee: { servers: 4, service: { kind: "exponential", meanMs: 20 } },
  clients: [{ load: { kind: "open", perSecond: 400 } }],
};

function scenarioFile(scenario: unknown): { folder: string; file: string } {
  const folder = scratchFolder();
  const file = join(folder, "mine.json");
  writeFileSync(file, typeof scenario === "string" ? scenario : JSON.stringify(scenario));
  return { folder, file };
}

describe("dt simulate", () => {
  test("prints a line for each algorithm and writes a picture, for a scenario of one's own", async () => {
    const { folder, file } = scenarioFile(MINE);
    const { code, stdout } = await run("simulate", "--scenario", file, "--algorithm", "none,fixed:5", "--out", folder);
    expect(code).toBe(0);
    const picture = join(folder, "dt-simulate-mine.svg");
    expect(stdout).toMatch(/^a small service\n.*goodput.*\nnone .*\nfixed:5 .*\nPlots: /);
    expect(stdout).toContain(picture);
    const svg = readFileSync(picture, "utf8");
    for (const word of ["a small service", "none", "fixed:5", "in flight", "latency, ms", "goodput, a second", "ideal"])
      expect(svg).toContain(word);
    expect(svg).not.toContain("NaN");
  });

  test("prints the numbers behind it as one JSON object, the same for the same seed, and writes nothing", async () => {
    const { folder, file } = scenarioFile(MINE);
    const args = ["simulate", "--scenario", file, "--algorithm", "aimd", "--json", "--seconds", "10"];
    const { code, stdout } = await run(...args);
    expect(code).toBe(0);
    const { scenario, seed, results } = JSON.parse(stdout);
    expect({ seed, name: scenario.name, seconds: scenario.seconds }).toEqual({ seed: 1, name: "mine", seconds: 10 });
    expect(results[0].algorithm).toBe("aimd");
    expect(results[0].verdict.goodput).toBeGreaterThan(0.8);
    expect(results[0].series.goodput).toHaveLength(10);
    expect((await run(...args)).stdout).toBe(stdout);
    const other = JSON.parse((await run(...args, "--seed", "2")).stdout);
    expect(other.seed).toBe(2);
    expect(other.results).not.toEqual(results);
    expect(existsSync(join(folder, "dt-simulate-mine.svg"))).toBe(false);
  });

  test("runs the scenario of the README", async () => {
    const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
    const { file } = scenarioFile(/<!-- scenario -->\n```json\n([\s\S]*?)```/.exec(readme)?.[1]);
    const { code, stdout } = await run(
      "simulate",
      "--scenario",
      file,
      "--seconds",
      "30",
      "--algorithm",
      "automatic",
      "--json",
    );
    expect(code).toBe(0);
    expect(JSON.parse(stdout).scenario.clients).toHaveLength(2);
  });

  test.each([
    [["--scenario", "brust"], '--scenario is "brust"; give overload, capacity, burst'],
    [["--scenario", "/no/such.json"], "--scenario /no/such.json cannot be read"],
    [["--algorithm", "vegas,reno"], '--algorithm has "reno"; known are none, fixed:<limit>'],
    [["--seconds", "40"], "--seconds 40 ends before 60 s, when burst begins to be measured"],
    [["--seed", "x"], "Give a whole number from 0"],
    [["--out", "/no/such/folder"], "--out /no/such/folder: there is no folder /no/such/folder"],
  ])("refuses %j with exit code 2 and says why", async (args, message) => {
    const { code, stdout, stderr } = await run("simulate", ...args);
    expect(stderr).toContain(message);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  });

  test.each([
    ["{", "is no JSON"],
    [{ ...MINE, callee: { servers: 0 } }, "callee.servers is 0; give a whole number from 1 to 100000"],
    [{ ...MINE, callees: {} }, 'the scenario has an unknown field "callees"; did you mean callee?'],
  ])("names the file and the field of a scenario that makes no sense: %j", async (scenario, message) => {
    const { file } = scenarioFile(scenario);
    const { code, stderr } = await run("simulate", "--scenario", file);
    expect(code).toBe(2);
    expect(stderr).toContain(file);
    expect(stderr).toContain(message);
  });

  test("--help lists the scenarios and the algorithms", async () => {
    const { code, stdout } = await run("simulate", "--help");
    expect(code).toBe(0);
    for (const word of ["--scenario", "--algorithm", "--seed", "--seconds", "--out", "--json", "burst", "vegas"])
      expect(stdout).toContain(word);
  });
});
