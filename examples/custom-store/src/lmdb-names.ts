import { PAGE_SIZE } from "@dt/core/ledger";
import type { RootDatabase } from "lmdb";

/** Lists of names, beside the rows of groups and keys, which have hashes alone. No hash of a name is one of these. */
type List = "groups" | "keys";

/** Notes a name, once. Inside a write transaction. */
export function noteName(db: RootDatabase, list: List, hash: string, name: string): void {
  if (!db.doesExist([list, hash])) db.putSync([list, hash], name);
}

/** A page of names, in the order of their hashes, from after this one on; from the first one after the empty text. */
export function namesAfter(db: RootDatabase, list: List, hash: string): string[] {
  const range = db.getRange({ start: [list, hash], end: [list, "\uffff"], limit: PAGE_SIZE + 1 });
  const names = [...range].flatMap(({ key, value }) => ((key as string[])[1] === hash ? [] : [value as string]));
  return names.slice(0, PAGE_SIZE);
}
