import { readFileSync } from "node:fs";

/** The code blocks of the README in a language. */
export function readmeBlocks(language: string): string[] {
  const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
  return [...readme.matchAll(/```(\w*)\n(.*?)```/gs)].flatMap(([, name, block]) =>
    name === language ? [block as string] : [],
  );
}
