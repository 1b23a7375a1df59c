import { type Ended, runSource } from "@dt-tooling/backends/source-process";
import { describe, expect, it } from "vitest";

const main = new URL("../../src/fleet/main.ts", import.meta.url);
const soak = (...args: string[]): Promise<Ended> => runSource(main, ...args);

describe("the soak command", () => {
  it("fails with a seeded bug, with a command that replays it and a shorter schedule that fails as well", async () => {
    const run = await soak("--with", "raise-in-same-epoch", "--seeds", "5", "--json");
    expect(run.code).toBe(1);
    const { failingSeeds } = JSON.parse(run.stdout) as { failingSeeds: number[] };
    expect(run.stderr).toContain(`--profile atomic --seed ${failingSeeds[0]} --with raise-in-same-epoch --trace`);
    const kept = /--keep (\S+)/.exec(run.stderr)?.[1] ?? "";
    const again = await soak(
      ...["--seed", String(failingSeeds[0]), "--keep", kept, "--with", "raise-in-same-epoch"],
      "--trace",
    );
    expect(again.code).toBe(1);
    expect(again.stdout).toMatch(/ grants \d+ in \d+/);
  });
});
