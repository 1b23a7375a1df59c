import { invalidOption, readCursor, writeCursor } from "@dt/core/ledger";
import { nameOf, namePattern } from "./keys.ts";
import { texts } from "./reply/field.ts";

/** Keys that one step looks at. A name has five of them or more, so that a page has some 200 names at most. */
const LOOKED_AT = 1_000;

/** The keys of which there is one for each name. */
const KINDS = { groups: "rows", keys: "permits" } as const;

/** A page of names, of groups or of keys. */
export interface NamePage {
  readonly names: readonly string[];
  readonly next?: string;
}

/** Runs the script `list.lua` on a master. @param args ARGV from the second on */
export type Step = (master: string, args: readonly string[]) => Promise<unknown>;

/**
 * One page of the names: a step of a SCAN on one of the masters, one after the other in order of their names. A cursor
 * of SCAN means something to one run of one server only, so ours names both.
 * @param masters of a Cluster; otherwise one without a name
 * @param prefix what the store's keys begin with on the server
 * @throws DtError `DT_INVALID_OPTION`, `DT_STORE_REPLY`
 */
export async function listNames(
  what: keyof typeof KINDS,
  cursor: string | undefined,
  masters: readonly string[],
  prefix: string,
  step: Step,
): Promise<NamePage> {
  const list = `redis ${what}`;
  const sorted = [...masters].sort();
  const [master = "", runId = "", place = "0"] =
    cursor === undefined ? [sorted[0]] : readCursor(list, cursor).split(" ");
  if (!sorted.includes(master)) throw anew(cursor, "the server that it is of is no master of the cluster any more");
  const reply = await step(master, [runId, place, namePattern(prefix, KINDS[what]), String(LOOKED_AT)]);
  const [ofRun = "", next, ...keys] = texts(reply, 1);
  if (next === undefined) throw anew(cursor, "the server was restarted since, or another one took its place");
  const names = keys.flatMap((key) => nameOf(prefix, KINDS[what], key) ?? []);
  if (next !== "0") return { names, next: writeCursor(list, `${master} ${ofRun} ${next}`) };
  const after = sorted.find((other) => other > master);
  return after === undefined ? { names } : { names, next: writeCursor(list, `${after}  0`) };
}

/** Checks a cursor before anything is sent. @throws DtError `DT_INVALID_OPTION` */
export function checkCursor(what: keyof typeof KINDS, cursor: string | undefined): void {
  readCursor(`redis ${what}`, cursor);
}

function anew(cursor: string | undefined, why: string): Error {
  return invalidOption("cursor", cursor, `${why}: begin the list anew, without a cursor`);
}
