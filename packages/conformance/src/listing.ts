import type { CaseContext } from "./context.ts";

/** One page, of groups or of keys. */
export interface Page {
  readonly names: readonly string[];
  readonly next?: string | undefined;
}

/** Asks one of the case's clients for a page. */
export type AskPage = (cursor: string | undefined, signal?: AbortSignal) => Promise<Page>;

/** More names than this on a page are too many for one answer (R26). */
const MOST_NAMES = 1_000;
/** A list with more pages than this goes in circles: no test server has so many groups. */
const MOST_PAGES = 20_000;

/**
 * All names of a list, from its first page to its last. The clients are asked in turn, and `between` happens after each
 * page.
 */
export async function allNames(
  context: CaseContext,
  clients: readonly AskPage[],
  between: (page: number) => Promise<void> = async () => {},
): Promise<ReadonlySet<string>> {
  const names = new Set<string>();
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const { names: found, next } = await (clients[page % clients.length] as AskPage)(cursor);
    context.that(
      Array.isArray(found) && found.every((name) => typeof name === "string"),
      `a page holds ${JSON.stringify(found)}, which is no list of names`,
    );
    context.that(found.length <= MOST_NAMES, `a page has ${found.length} names; at most are ${MOST_NAMES}`);
    for (const name of found) names.add(name);
    if (next === undefined) return names;
    context.that(typeof next === "string" && next !== "", `next is ${JSON.stringify(next)}, which is no cursor`);
    cursor = next;
    await between(page);
  }
  return context.fail(`a list has not ended after ${MOST_PAGES} pages`);
}

/** Every one of the names must be listed. */
export function listsAll(context: CaseContext, listed: ReadonlySet<string>, names: readonly string[]): void {
  const missing = names.filter((name) => !listed.has(name));
  context.that(
    missing.length === 0,
    `${missing.length} of ${names.length} names are on no page, such as ${JSON.stringify(missing[0]?.slice(0, 80))}`,
  );
}

/** What no page gave must be refused as a cursor: texts of nobody, a cursor with a slip, and what `others` say. */
export async function refusesCursors(context: CaseContext, ask: AskPage, others: readonly string[]): Promise<void> {
  const { next } = await ask(undefined);
  const slips = next === undefined ? [] : [`${next}x`, next.slice(0, -1), `x${next}`];
  for (const cursor of ["", "x", "0", "1.x", "%", ...slips, ...others, 7 as unknown as string])
    await context.refused(ask(cursor), ["DT_INVALID_OPTION"], `a page after the cursor ${JSON.stringify(cursor)}`);
}

/** A page that was given up, and one of a store that was closed. */
export async function refusesWhenOver(
  context: CaseContext,
  ask: AskPage,
  closed: () => Promise<AskPage>,
): Promise<void> {
  await context.refused(ask(undefined, AbortSignal.abort()), ["DT_ABORTED"], "a page with an aborted signal");
  await context.refused((await closed())(undefined), ["DT_STORE_CLOSED"], "a page of a closed store");
}
