import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchFolder } from "./scratch.ts";

const PROMISES = { ledger: true, losesData: false, hints: true, demand: true, slots: true };
const CAPABILITIES = { name: "memory", clock: "host", ...PROMISES };

/** Writes a target file that lasts as long as the test; returns its path. */
export function targetFile(text: string, name = "target.mjs"): string {
  const file = join(scratchFolder(), name);
  writeFileSync(file, text);
  return file;
}

/** The text of a module whose default export is a target on the memory store, with more or other properties. */
export function memoryTarget(properties = "", before = ""): string {
  return `import { MemoryStore } from "@dt/core";
${before}
export default {
  name: "memory",
  capabilities: ${JSON.stringify(CAPABILITIES)},
  sharesData: false,
  createStore: () => new MemoryStore(),
  ${properties}
};
`;
}
