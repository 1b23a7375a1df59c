import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "@dt-tooling/bootstrap";
import { describe, expect, it } from "vitest";

const read = (file: string): string => readFileSync(join(repositoryRoot, file), "utf8");
const page = read("docs/operations.md");

/** The words of a union type. */
function unionOf(file: string, name: string): readonly string[] {
  const [, union = ""] = new RegExp(`export type ${name} =([^;]*);`).exec(read(file)) ?? [];
  return [...union.matchAll(/"([\w-]+)"/g)].map(([, word = ""]) => word);
}

/** The words in the first column of the first table after a text. */
function firstColumnAfter(text: string): readonly string[] {
  const [, rest = ""] = page.split(text);
  const [table = ""] = /^\|.*?\n(?=\n)/ms.exec(rest) ?? [];
  return [...table.matchAll(/^\| (\[?`[^|]*) \|/gm)].flatMap(([, cell = ""]) =>
    [...cell.matchAll(/`([\w-]+)`/g)].map(([, word = ""]) => word),
  );
}

describe("docs/operations.md", () => {
  it("has every finding of dt status", () => {
    const codes = unionOf("apps/cli/src/fleet/report.ts", "FindingCode");
    expect(codes.length).toBeGreaterThan(10);
    expect(firstColumnAfter("\n### What each finding means\n").toSorted()).toEqual(codes.toSorted());
  });

  it("has every reason why there are no tokens", () => {
    const reasons = unionOf("packages/core/src/throttle/status.ts", "BlockedReason");
    expect(reasons.length).toBeGreaterThan(5);
    expect(firstColumnAfter("\n## Why there are no tokens\n").toSorted()).toEqual(reasons.toSorted());
  });

  it("has every alert of the example", () => {
    const alerts = [...read("examples/metrics/prometheus/rules.yml").matchAll(/^\s*- alert: (\w+)$/gm)];
    expect(firstColumnAfter("\n## What to watch\n").toSorted()).toEqual(alerts.map(([, name]) => name).toSorted());
  });

  it("has what a request costs Redis, as it was measured", () => {
    const [, rest = ""] = read("docs/stores.md").split("\n### Where the ceiling is\n");
    const [, micros = ""] = /^\| redis \| [\d,]+ \| ([\d.]+) \|/m.exec(rest) ?? [];
    expect(page).toContain(`some ${Math.round(Number(micros) / 10) * 10} µs`);
  });

  it("begins with a table of situations that leads to sections of the page", () => {
    const headings = [...page.matchAll(/^##+ (.+)$/gm)].map(([, heading = ""]) =>
      heading
        .toLowerCase()
        .replaceAll(" ", "-")
        .replace(/[^\w-]/g, ""),
    );
    const [first = ""] = page.split("\n## ");
    const links = [...first.matchAll(/\]\(#([\w-]+)\)/g)].map(([, anchor]) => anchor);
    expect(links.length).toBeGreaterThan(10);
    for (const link of links) expect(headings).toContain(link);
  });
});
