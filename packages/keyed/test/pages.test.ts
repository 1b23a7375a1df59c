import { readFileSync } from "node:fs";
import { MemoryStore } from "@dt/core";
import { describe, expect, it } from "vitest";
import { createKeyed } from "../src/index.ts";

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");
const readme = read("../README.md");
const store = new MemoryStore();
const options = { name: "pages", limit: { rate: "1/s" }, store } as const;

/** The names that the first column of a section's tables has, in their order. */
function namesIn(page: string, section: string): string[] {
  const [, rest = ""] = page.split(`\n## ${section}\n`);
  const [text = ""] = rest.split("\n## ");
  const cells = [...text.matchAll(/^\| (`[^|]*) \|/gm)].map(([, cell = ""]) => cell);
  return cells.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name));
}

/** The names that an error lists as known. */
function knownBy(ask: () => unknown): string[] {
  try {
    ask();
  } catch (error) {
    const [, names = ""] = /known are ([\w, ]+)/.exec((error as Error).message) ?? [];
    return names.split(", ");
  }
  return [];
}

describe("the pages about keyed limits", () => {
  const limits = createKeyed(options);

  it("list every event", () => {
    const events = knownBy(() => limits.on("?" as "grant", () => undefined));
    expect(events.length).toBeGreaterThan(5);
    expect(namesIn(readme, "Events")).toEqual(events);
    const page = read("../../../docs/events.md");
    expect(namesIn(page, "Of a keyed limit")).toEqual(events);
    for (const event of events) expect(page).toContain(`| \`${event}\` | \`dt:keyed:${event}\` |`);
  });

  it("list every field of the status", () => {
    expect(namesIn(readme, "Status").toSorted()).toEqual(Object.keys(limits.status()).toSorted());
  });

  it("list every option", () => {
    const given = namesIn(readme, "Options");
    const known = knownBy(() => createKeyed({ ...options, unknown: 1 } as never));
    const ofLimits = knownBy(() => createKeyed({ ...options, limit: { rate: "1/s", unknown: 1 } } as never));
    expect(known.length + ofLimits.length).toBeGreaterThan(10);
    expect(given.toSorted()).toEqual([...known, ...ofLimits].toSorted());
  });
});
