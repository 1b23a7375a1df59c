import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkersHash } from "./checkers.ts";

/** The last proof that passed; committed. */
const FILE = "tooling/gate/proof.json";

export interface ProofRecord {
  /** Of the checkers' sources as they were proved. */
  readonly hash: string;
  readonly date: string;
  /** The last commit at that time; the checkers may have changed since. */
  readonly commit: string;
  readonly passed: number;
  readonly skipped: number;
}

/** Whether the checkers are other ones than those that were proved last. */
export function isProofDue(root: string): boolean {
  return recordedHash(root) !== checkersHash(root);
}

function recordedHash(root: string): string | undefined {
  try {
    return (JSON.parse(readFileSync(join(root, FILE), "utf8")) as Partial<ProofRecord>).hash;
  } catch {
    return undefined; // None yet, or none that can be read: there is no proof.
  }
}

/** Writes that the checkers as they are now are proved. Returns the file. */
export function recordProof(root: string, counts: Pick<ProofRecord, "passed" | "skipped">, hash: string): string {
  const commit = execFileSync("git", ["rev-parse", "--short=12", "HEAD"], { cwd: root, encoding: "utf8" }).trim();
  const record: ProofRecord = { hash, date: new Date().toISOString().slice(0, 10), commit, ...counts };
  writeFileSync(join(root, FILE), `${JSON.stringify(record, undefined, 2)}\n`);
  return FILE;
}
