import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readGuide, type Step } from "./guide.ts";
import { type Finished, Stranger } from "./stranger.ts";

const page = join(import.meta.dirname, "../../../../docs/writing-a-store.md");
const steps = readGuide(page);
const stranger = new Stranger();
let last: Finished | undefined;

beforeAll(() => stranger.pack(), 300_000);
afterAll(() => stranger.leave());

/** Does what the page says. */
function follow(step: Step): void {
  if (step.kind === "file") stranger.write(step.name, step.text);
  if (step.kind === "replace") stranger.replace(step.name, step.before, step.after);
  if (step.kind === "run")
    for (const [index, line] of step.commands.entries()) {
      last = stranger.run(line);
      const expected = index === step.commands.length - 1 ? step.exitCode : 0;
      expect(last.code, `${line}\n${last.stderr}\n${last.stdout}`).toBe(expected);
    }
  if (step.kind === "output")
    expect(last?.stdout.split("\n").map((line) => line.trim())).toEqual(
      expect.arrayContaining(step.lines.map((line) => line.trim())),
    );
}

function titleOf(step: Step): string {
  if (step.kind === "run") return `runs ${step.commands.join(" && ")} (exit code ${step.exitCode})`;
  return step.kind === "output" ? `is shown: ${step.lines[0]}` : `${step.kind}s ${step.name}`;
}

// In order: each step stands on the one before it, and after one that failed the rest is not worth trying.
describe("who follows docs/writing-a-store.md, in an empty folder with the packed packages,", {
  timeout: 300_000,
}, () => {
  let failed = false;
  it.each(steps.map((step) => [titleOf(step), step] as const))("%s", (_, step) => {
    expect(failed, "a step before this one failed").toBe(false);
    failed = true;
    follow(step);
    failed = false;
  });

  it("is first shown the rules that the unfinished store breaks, and ends with one that passes", () => {
    const exitCodes = steps.flatMap((step) => (step.kind === "run" ? [step.exitCode] : []));
    expect(exitCodes).toEqual([0, 1, 1, 0, 0]);
  });

  it("can then break the finished store in one way, read the rule from the report, and put it right", () => {
    const right = '["expiry", livenessMs, "\\uffff"]';
    const wrong = '["expiry", 0, "\\uffff"]';
    stranger.replace("lmdb-table.mjs", right, wrong);
    // One case tells: with nobody removed, the others wait in vain for a minute.
    const tells = "npx @dt/cli conformance ./target.mjs 'a silent member is removed'";
    const broken = stranger.run(`${tells} --json`);
    const report = JSON.parse(broken.stdout) as { failures: { rule: string }[] };
    expect(broken.code).toBe(1);
    expect(report.failures.map(({ rule }) => rule)).toContain("R4");
    stranger.replace("lmdb-table.mjs", wrong, right);
    expect(stranger.run(tells).code).toBe(0);
  });
});
