import type { Redis } from "ioredis";
import { expect, vi } from "vitest";
import type { ScriptedLedger } from "./scripted-ledger.ts";

/** What to put in the place of a text that a file has once. */
export type Replacements = readonly (readonly [from: string, to: string])[];

/**
 * Scripts of a version before, as far as the rows go: what it did not know of yet is taken out of these files.
 *
 * @param files by the name of the file: `"table.lua"`
 */
export async function versionBefore(
  files: Readonly<Record<string, Replacements>>,
): Promise<new (redis: Redis, prefix: string) => ScriptedLedger> {
  vi.resetModules();
  const paths = Object.entries(files).map(([name, replacements]) => {
    const path = new URL(`../../src/lua/${name}`, import.meta.url).pathname;
    vi.doMock(path, async (actual) => {
      const { default: text } = await actual<{ readonly default: string }>();
      return { default: replacements.reduce(replaced, text) };
    });
    return path;
  });
  const { ScriptedLedger } = await import("./scripted-ledger.ts");
  // Files after this one share the process: they must not get the version before.
  for (const path of paths) vi.doUnmock(path);
  vi.resetModules();
  return ScriptedLedger;
}

function replaced(text: string, [from, to]: readonly [string, string]): string {
  expect(text.split(from), from).toHaveLength(2);
  return text.replace(from, to);
}
