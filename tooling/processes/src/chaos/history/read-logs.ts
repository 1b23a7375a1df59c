import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { BootLog, Entry } from "./entry.ts";

const ENDING = ".jsonl";

/** Reads every log of a folder. @throws Error when a line in the middle is broken */
export async function readLogs(folder: string): Promise<BootLog[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(ENDING)).sort();
  return Promise.all(
    names.map(async (name) => parseLog(basename(name, ENDING), await readFile(join(folder, name), "utf8"))),
  );
}

/** A last line without its end was never finished: the grant it tells of was never handed out. */
export function parseLog(name: string, text: string): BootLog {
  const lines = text.split("\n").slice(0, -1);
  return { name, entries: lines.map((line) => JSON.parse(line) as Entry) };
}
