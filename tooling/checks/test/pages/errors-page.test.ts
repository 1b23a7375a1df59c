import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "@dt-tooling/bootstrap";
import { describe, expect, it } from "vitest";
import { PROVOKED } from "./provoked-errors.ts";

const read = (file: string): string => readFileSync(join(repositoryRoot, file), "utf8");
const page = read("docs/errors.md");

/** Names that begin like a code, and are variables of the environment. */
const NO_CODES = ["DT_DEMO_PROCESS"];

/** The sources of everything that is published, by file. */
const sources = new Map(
  globSync("{packages/*,apps/cli}/src/**/*.ts", { cwd: repositoryRoot }).map((file) => [file, read(file)]),
);

/** Every code that the sources write. */
const codes = [
  ...new Set(
    [...sources.values()].flatMap((text) => [...text.matchAll(/"(DT_[A-Z_]*[A-Z])"/g)].map(([, code]) => code)),
  ),
].filter((code): code is string => code !== undefined && !NO_CODES.includes(code));

/** The sections of the page, by their heading. */
const sections = new Map(
  page.split(/^## /m).map((section) => {
    const [heading = "", ...lines] = section.split("\n");
    return [heading, lines.join("\n")];
  }),
);

/** The codes of a union type. */
function unionOf(file: string, name: string): readonly string[] {
  const [, union = ""] = new RegExp(`export type ${name} =([^;]*);`).exec(read(file)) ?? [];
  return [...union.matchAll(/"(\w+)"/g)].map(([, code = ""]) => code);
}

function exampleOf(code: string): string {
  const [, message = ""] = /```text\n(.*?)\n```/s.exec(sections.get(code) ?? "") ?? [];
  return message;
}

/** Texts that the sources write, each with a placeholder for values. */
const written = [...sources.values()].flatMap((text) =>
  [...text.matchAll(/`((?:[^`\\]|\\.)*)`|"((?:[^"\\\n]|\\.)*)"/gs)].map(([, template, literal]) =>
    (template ?? literal ?? "").replaceAll("\\`", "`").replace(/\$\{[^}]*\}/g, "\0"),
  ),
);

/** The parts of a message that the sources write, longest first. */
function writtenIn(message: string): number {
  const parts = written.filter((text) => text.replaceAll("\0", "").length >= 20);
  const matches = parts.map((text) => {
    const pattern = text.split("\0").map((part) => part.replace(/[^\w\s]/g, "\\$&"));
    return new RegExp(pattern.join(".+?"), "s").exec(message)?.[0].length ?? 0;
  });
  return Math.max(0, ...matches) / message.length;
}

const withoutNumbers = (message: string): string => message.replace(/\d+(?:\.\d+)*/g, "#");

describe("docs/errors.md", () => {
  it("has a section for each code, and for no other", () => {
    const unions = [
      ...unionOf("packages/core/src/errors/dt-error.ts", "DtErrorCode"),
      ...unionOf("packages/signal/src/errors.ts", "SignalErrorCode"),
    ];
    expect(unions.length).toBeGreaterThan(20);
    for (const code of unions) expect(codes).toContain(code);
    const headings = [...sections.keys()].filter((heading) => heading.startsWith("DT_"));
    expect(headings.toSorted()).toEqual(codes.toSorted());
  });

  it("has each code in its table, in the order of the sections", () => {
    const rows = [...page.matchAll(/^\| \[`(DT_\w+)`\]\(#(\w+)\) \|/gm)];
    for (const [, code = "", anchor] of rows) expect(anchor).toBe(code.toLowerCase());
    const headings = [...sections.keys()].filter((heading) => heading.startsWith("DT_"));
    expect(rows.map(([, code]) => code)).toEqual(headings);
  });

  it("has every exit code of the command line", () => {
    const [, exits = ""] = /export const EXIT = \{(.*?)\n\}/s.exec(read("apps/cli/src/exit-code.ts")) ?? [];
    const known = [...exits.matchAll(/^ {2}\w+: (\d+),$/gm)].map(([, code]) => code);
    const [, rows = ""] = /^\| exit code \| meaning \|\n(.*?)\n\n/ms.exec(page) ?? [];
    const listed = [...rows.matchAll(/^\| (\d[\d, ]*) \|/gm)].flatMap(([, cell = ""]) => cell.split(", "));
    expect(known.length).toBeGreaterThan(4);
    expect(listed).toEqual(known);
  });

  it.each(codes)("states when %s happens, and what a program and an operator do", (code) => {
    const text = sections.get(code) ?? "";
    for (const part of ["- **When:**", "- **A program:**", "- **An operator:**", "```text"])
      expect(text).toContain(part);
  });

  it.each(Object.keys(PROVOKED))("shows the message that %s really has", { timeout: 60_000 }, async (code) => {
    const error = await PROVOKED[code]?.();
    expect(error).toMatchObject({ code });
    expect(withoutNumbers(exampleOf(code))).toBe(withoutNumbers(error?.message ?? ""));
  });

  it.each(codes.filter((code) => !(code in PROVOKED)))("shows a message of %s that the sources write", (code) => {
    expect(writtenIn(exampleOf(code))).toBeGreaterThan(0.4);
    expect(writtenIn("another message that is nowhere in the sources of this")).toBe(0);
  });
});
