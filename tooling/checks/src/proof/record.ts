import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkersHash } from "./checkers.ts";

/** The last proof that passed; committed. */
const FILE = "tooling/checks/proof.json";

/** What is proved: the checkers as they are now. */
export interface Subject {
  readonly hash: string;
  /** The last commit; the checkers may have changed since. */
  readonly commit: string;
}

export interface ProofRecord extends Subject {
  readonly date: string;
  readonly passed: number;
  readonly skipped: number;
}

export function subjectNow(root: string): Subject {
  const commit = execFileSync("git", ["rev-parse", "--short=12", "HEAD"], { cwd: root, encoding: "utf8" }).trim();
  return { hash: checkersHash(root), commit };
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

/** Writes that the checkers are proved, as they were when the run began. Returns the file. */
export function recordProof(
  root: string,
  subject: Subject,
  { passed, skipped }: Pick<ProofRecord, "passed" | "skipped">,
): string {
  const record: ProofRecord = { ...subject, date: new Date().toISOString().slice(0, 10), passed, skipped };
  writeFileSync(join(root, FILE), `${JSON.stringify(record, undefined, 2)}\n`);
  return FILE;
}
