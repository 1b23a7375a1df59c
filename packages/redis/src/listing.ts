import { invalidOption } from "@dt/core/ledger";
import type { NamedKind, NamePage } from "@dt/core/store";
import { nameOf, namePattern } from "./keys.ts";
import { texts } from "./reply/field.ts";

/** Keys that one step looks at. A name has five of them or more, so that a page has some 200 names at most. */
const LOOKED_AT = 1_000;

/** The keys of which there is one for each name. */
const KINDS = { group: "rows", permits: "permits", budget: "budget", keyed: "bucket" } as const;

/** Runs the script `list.lua` on a master. @param args ARGV from the second on */
type Step = (master: string, args: readonly string[]) => Promise<unknown>;

/**
 * One page of the names: a step of a SCAN on one of the masters, one after the other in order of their names. A cursor
 * of SCAN means something to one run of one server only, so the place of a page names both.
 * @param masters of a Cluster; otherwise one without a name
 * @param prefix what the store's keys begin with on the server
 * @throws DtError `DT_INVALID_OPTION`, `DT_STORE_REPLY`
 */
export async function listNames(
  kind: NamedKind,
  from: string,
  masters: readonly string[],
  prefix: string,
  step: Step,
): Promise<NamePage> {
  const sorted = [...masters].sort();
  const [master = "", runId = "", place = "0"] = from === "" ? [sorted[0]] : from.split(" ");
  if (!sorted.includes(master)) throw anew(from, "the server that it is of is no master of the cluster any more");
  const reply = await step(master, [runId, place, namePattern(prefix, KINDS[kind]), String(LOOKED_AT)]);
  const [ofRun = "", next, ...keys] = texts(reply, 1);
  if (next === undefined) throw anew(from, "the server was restarted since, or another one took its place");
  const names = keys.flatMap((key) => nameOf(prefix, KINDS[kind], key) ?? []);
  if (next !== "0") return { names, next: `${master} ${ofRun} ${next}` };
  const after = sorted.find((other) => other > master);
  return { names, next: after && `${after}  0` };
}

function anew(place: string, why: string): Error {
  return invalidOption("cursor", place, `${why}: begin the list anew, without a cursor`);
}
