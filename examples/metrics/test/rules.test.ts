import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promtool } from "@dt-tooling/backends";
import { describe, expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";

const folder = new URL("../prometheus/", import.meta.url).pathname;
const read = (name: string): string => readFileSync(folder + name, "utf8");

interface Rule {
  readonly alert?: string;
  readonly labels?: { readonly severity?: string };
  readonly annotations?: { readonly [name: string]: string };
}
const { groups } = parse(read("rules.yml")) as { readonly groups: readonly { readonly rules: readonly Rule[] }[] };
const alerts = groups.flatMap(({ rules }) => rules).filter(({ alert }) => alert !== undefined);

describe("the rules of Prometheus", () => {
  it("are all in the README, to copy", () => {
    const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
    expect(readme).toContain(`\`\`\`yaml\n${read("rules.yml")}\`\`\`\n`);
  });

  it("are read by promtool, with their configuration", async () => {
    const { code, output } = await promtool(["check", "config", "prometheus.yml"], folder);
    expect([code, output]).toEqual([0, expect.stringContaining("rules.yml")]);
  });

  it("fire on what they are for, and on nothing else", async () => {
    const { code, output } = await promtool(["test", "rules", "rules.test.yml"], folder);
    expect([code, output]).toEqual([0, expect.stringContaining("SUCCESS")]);
  });

  it("and their tests, with the names behind a collector, by the command of the README", async () => {
    const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
    const command = /^sed -E '([^']+)' rules\.yml$/m.exec(readme)?.[1] as string;
    const folder = await mkdtemp(join(tmpdir(), "dt-rules-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    for (const name of ["rules.yml", "scaling.yml", "rules.test.yml"])
      await writeFile(join(folder, name), execFileSync("sed", ["-E", command], { input: read(name) }));
    const rules = await readFile(join(folder, "rules.yml"), "utf8");
    expect(rules).toContain("dt_acquire_duration_seconds_bucket");
    expect(rules).toContain("avg_over_time(dt_utilization_ratio[5m])");
    const { code, output } = await promtool(["test", "rules", "rules.test.yml"], folder);
    expect([code, output]).toEqual([0, expect.stringContaining("SUCCESS")]);
  });

  it("have a test each", () => {
    const tests = read("rules.test.yml");
    expect(alerts.filter(({ alert }) => !tests.includes(`alertname="${alert}"`))).toEqual([]);
  });

  it("report what to do, and where more of it is written", () => {
    const headings = readFileSync(new URL("../README.md", import.meta.url), "utf8").match(/^### Dt\w+$/gm);
    expect(alerts.map(({ alert }) => `### ${alert}`)).toEqual(headings);
    for (const { alert, labels, annotations } of alerts) {
      expect(["critical", "warning", "info"], alert).toContain(labels?.severity);
      expect(Object.keys(annotations ?? {}), alert).toEqual(["summary", "description", "runbook"]);
      expect(annotations?.["runbook"]).toBe(`README.md#${alert?.toLowerCase()}`);
    }
  });
});
