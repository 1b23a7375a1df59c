import type { PermitRelease, PermitRequest } from "@dt/core";
import { type CaseDefinition, casesOf } from "../../case.ts";
import type { CaseContext } from "../../context.ts";
import { NOT_NAMES } from "../not-names.ts";

type Malformed<T> = readonly [field: keyof T & string, values: readonly unknown[]];

const NOT_NUMBERS = [Number.NaN, Number.POSITIVE_INFINITY, "10", null, undefined];
const NOT_COUNTS = [-1, 0.5, 2 ** 53, ...NOT_NUMBERS];

const REQUEST: readonly Malformed<PermitRequest>[] = [
  ["id", NOT_NAMES],
  ["count", [0, 10_001, ...NOT_COUNTS]],
  ["cost", [0, -1, 2e9, ...NOT_NUMBERS]],
  ["everyMs", [0, -1, 2e12, ...NOT_NUMBERS]],
  ["burst", [0, ...NOT_COUNTS]],
  ["maxReserved", NOT_COUNTS],
  ["keepMs", [-1, 2e12, ...NOT_NUMBERS]],
  ["queueMs", [-1, 2e12, ...NOT_NUMBERS]],
];

const RELEASE: readonly Malformed<PermitRelease>[] = [
  ["id", NOT_NAMES],
  ["keep", NOT_COUNTS],
];

/** What is refused before anything is written: a number that is none would spoil the key for everybody. */
export const arguments_: readonly CaseDefinition[] = casesOf({ rule: "P9", needs: ["permits"] }, [
  {
    name: "a malformed request for permits is refused, and changes nothing",
    run: (context) =>
      refusesEach(context, REQUEST, (store, key, id, wrong) =>
        store.reserve(key.key, { ...key.request({ id }), ...wrong } as PermitRequest),
      ),
  },
  {
    name: "a malformed release is refused, and changes nothing",
    run: (context) =>
      refusesEach(context, RELEASE, (store, key, id, wrong) =>
        store.release(key.key, { id, keep: 0, ...wrong } as PermitRelease),
      ),
  },
  {
    name: "a key that is empty, too long or not well-formed is refused",
    async run(context) {
      const key = await context.permitKey();
      const store = await context.permitStore();
      for (const name of NOT_NAMES as string[]) {
        const what = `with the key ${JSON.stringify(String(name).slice(0, 12))}`;
        await context.refused(store.reserve(name, key.request()), ["DT_INVALID_OPTION"], `reserve ${what}`);
        await context.refused(store.release(name, { id: "any", keep: 0 }), ["DT_INVALID_OPTION"], `release ${what}`);
      }
    },
  },
]);

type Store = Awaited<ReturnType<CaseContext["permitStore"]>>;
type Key = Awaited<ReturnType<CaseContext["permitKey"]>>;

async function refusesEach<T>(
  context: CaseContext,
  fields: readonly Malformed<T>[],
  send: (store: Store, key: Key, id: string, wrong: object) => Promise<unknown>,
): Promise<void> {
  const store = await context.permitStore();
  const key = await context.permitKey();
  const [first, second] = [await key.take(), await key.take()];
  for (const [field, values] of fields) {
    for (const value of values) {
      const shown = typeof value === "string" ? JSON.stringify(value.slice(0, 12)) : String(value);
      const call = send(store, key, second.request.id, { [field]: value });
      await context.refused(call, ["DT_INVALID_OPTION"], `${field} ${shown}`);
    }
  }
  key.at((await key.take()).atMs, first.atMs + 2 * key.everyMs, "the permit after all that was malformed");
}
