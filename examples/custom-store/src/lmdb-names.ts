import { createHash } from "node:crypto";
import { PAGE_SIZE } from "@dt/core/ledger";
import type { RootDatabase } from "lmdb";

/** Whose names a list has. */
type List = "group" | "permits" | "budget" | "keyed";

/** LMDB's keys are at most 1,978 bytes long; two names of 1,024 bytes each do not fit, their hashes do. */
export function short(name: string): string {
  return createHash("sha256").update(name).digest("base64url");
}

/** Notes a name, once, since the rows have its hash alone. Inside a write transaction. No name hashes to "names". */
export function noteName(db: RootDatabase, list: List, name: string): void {
  const key = ["names", list, short(name)];
  if (!db.doesExist(key)) db.putSync(key, name);
}

/** The name is not listed any more. Inside a write transaction. */
export function forgetName(db: RootDatabase, list: List, name: string): void {
  db.removeSync(["names", list, short(name)]);
}

/** A page of names, in the order of their hashes: those after this one, or the first after the empty text. */
export function namesAfter(db: RootDatabase, list: List, after: string): string[] {
  const start = ["names", list, after && short(after)];
  const names = [...db.getRange({ start, end: ["names", list, "\uffff"], limit: PAGE_SIZE + 1 })];
  return names
    .map(({ value }) => value as string)
    .filter((name) => name !== after)
    .slice(0, PAGE_SIZE);
}
