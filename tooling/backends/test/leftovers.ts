import { existsSync } from "node:fs";
import { expect } from "vitest";
import { isAlive } from "../src/process-tree.ts";

/** Fails unless the processes have ended and the folder is gone. */
export function expectNothingLeft(pids: readonly number[], folder: string): void {
  expect(pids.length).toBeGreaterThan(0);
  expect({ alive: pids.filter(isAlive), folderExists: existsSync(folder) }).toEqual({ alive: [], folderExists: false });
}
