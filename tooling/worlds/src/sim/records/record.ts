import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, release, totalmem, type } from "node:os";
import { fileURLToPath } from "node:url";

/** What came of a long run, and what one needs to repeat it. */
export interface RunRecord<T> {
  readonly command: string;
  /** Of the sources that ran; `modified` says that core, the limits or the worlds differed from it. */
  readonly commit: string;
  readonly modified: boolean;
  readonly date: string;
  readonly machine: {
    readonly cpu: string;
    readonly cores: number;
    readonly memoryGiB: number;
    readonly system: string;
    readonly node: string;
  };
  /** How long it took, on a machine that may have had other work. A run in virtual time has the same result on any. */
  readonly seconds: number;
  readonly result: T;
}

const root = fileURLToPath(new URL("../../../../../", import.meta.url));
const folder = fileURLToPath(new URL("../../../records/", import.meta.url));

/** Writes the record of a run that began at `startedMs` (of `performance.now`) and has just ended. Returns its file. */
export function saveRecord<T>(name: string, command: string, startedMs: number, result: T): string {
  const record: RunRecord<T> = {
    command,
    commit: git("rev-parse", "HEAD"),
    modified:
      git("status", "--porcelain", "--", "packages/core/src", "packages/adaptive/src", "tooling/worlds/src") !== "",
    date: new Date().toISOString(),
    machine: {
      cpu: cpus()[0]?.model ?? "unknown",
      cores: cpus().length,
      memoryGiB: Math.round(totalmem() / 2 ** 29) / 2,
      system: `${type()} ${release()}`,
      node: process.versions.node,
    },
    seconds: Math.round((performance.now() - startedMs) / 1_000),
    result,
  };
  mkdirSync(folder, { recursive: true });
  const file = `${folder}${name}.json`;
  writeFileSync(file, `${JSON.stringify(record, null, 2)}\n`);
  return file;
}

/** @throws Error when there is no such record */
export function readRecord<T>(name: string): RunRecord<T> {
  return JSON.parse(readFileSync(`${folder}${name}.json`, "utf8")) as RunRecord<T>;
}

function git(...args: string[]): string {
  return execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
}
