import { type Ended, runSource } from "@dt-tooling/backends/source-process";
import { describe, expect, it } from "vitest";
import { parseOptions as parseFigures } from "../../src/semaphores/figures/options.ts";
import { parseOptions as parseSearch } from "../../src/semaphores/search/options.ts";

const main = new URL("../../src/semaphores/main.ts", import.meta.url);
const semaphore = (...args: string[]): Promise<Ended> => runSource(main, ...args);

describe("the semaphore command", () => {
  it("prints figures beside the prototype's as one JSON object, whatever the number of workers", async () => {
    const args = ["--load", "crash", "--system", "V0,V1", "--seeds", "1,2", "--json"];
    const one = await semaphore(...args);
    const two = await semaphore(...args, "--jobs", "2");
    expect(one).toMatchObject({ code: 0, stdout: two.stdout });
    expect(one.stderr).toContain("4 of 4: ");
    const { rows, compared } = JSON.parse(one.stdout) as { rows: unknown[]; compared: unknown[] };
    expect(rows).toHaveLength(4);
    expect(compared).toMatchObject([
      { load: "crash", system: "V0", seeds: [1, 2], short: [], prototype: { backMs: 10_175 } },
      { load: "crash", system: "V1", seeds: [1, 2], short: [], prototype: { backMs: 9_650 } },
    ]);
  });

  it("prints a table without --json: our row, the prototype's, and whether it holds", async () => {
    const { stdout } = await semaphore("--load", "crash", "--system", "V1", "--seeds", "1");
    expect(stdout).toMatch(/^load +system/);
    expect(stdout).toMatch(/^crash +V1 +ours .* yes$/m);
    expect(stdout).toMatch(/^ +prototype .*9650$/m);
  });

  it("searches, and prints one JSON object and nothing else on standard output", async () => {
    const one = await semaphore("search", "--seeds", "4", "--json");
    const two = await semaphore("search", "--seeds", "4", "--json", "--jobs", "2");
    expect(one).toMatchObject({ code: 0, stdout: two.stdout });
    expect(JSON.parse(one.stdout)).toMatchObject({ profile: "ignored", store: "V1", seeds: 4, above: 0 });
  });

  it("shows the shortest schedule of a seed that fails, and how to replay it", async () => {
    const { code, stdout } = await semaphore("search", "--seed", "0", "--with", "one-more-than-answered");
    expect(code).toBe(1);
    expect(stdout).toMatch(/^max at [\d.]+ ms: p\d#1 begins: /m);
    const [, args = ""] = /shortest schedule: npm run -s semaphore -- (.*) --trace/.exec(stdout) ?? [];
    const again = await semaphore(...args.split(" "));
    expect(again).toMatchObject({ code: 1, stdout: expect.stringMatching(/^max at /) });
  });

  it("explains itself, and refuses what it does not know", async () => {
    for (const args of [[], ["search"]]) {
      const help = await semaphore(...args, "--help");
      expect(help).toMatchObject({
        code: 0,
        stderr: "",
        stdout: expect.stringContaining("Usage: npm run -s semaphore"),
      });
      for (const line of help.stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(120);
    }
    const { code, stdout, stderr } = await semaphore("--load", "much");
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain('--load is "much"; give one or more of handover, plenty');
    expect(() => parseFigures(["--system", "V2"])).toThrow(/--system is "V2"; give one or more of oracle/);
    expect(() => parseFigures(["--seeds", ""])).toThrow(/--seeds is ""; give a whole number/);
    expect(() => parseFigures(["--lost", "2"])).toThrow(/--lost is "2"; give a number from 0 to 1/);
    expect(() => parseFigures(["--turn", "0"])).toThrow(/--turn is "0"; give a number from 1/);
    expect(() => parseSearch(["--profile", "x"])).toThrow(/--profile is "x"; give one of ignored, obeyed/);
    expect(() => parseSearch(["--store", "V2"])).toThrow(/--store is "V2"; give one of V1/);
    expect(() => parseSearch(["--seeds", "0"])).toThrow(/--seeds is "0"; give a whole number >= 1/);
    expect(() => parseSearch(["--what"])).toThrow(/--what/);
    expect((await semaphore("search", "--with", "no-bug")).stderr).toContain('--with is "no-bug"; give one of ');
  });
});
