import { readFileSync } from "node:fs";
import { promtool } from "@dt-tooling/backends";
import { describe, expect, it } from "vitest";
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
  it("are read by promtool, with their configuration", async () => {
    const { code, output } = await promtool(["check", "config", "prometheus.yml"], folder);
    expect([code, output]).toEqual([0, expect.stringContaining("rules.yml")]);
  });

  it("fire on what they are for, and on nothing else", async () => {
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
