import { altered } from "../altered.ts";
import { limitMutant, type Mutant, mutant } from "../flaw.ts";
import type { LimitFlaw } from "../limit-flaw.ts";

/** A history that is kept in another way. */
const kept = (change: (history: readonly unknown[]) => readonly unknown[]): LimitFlaw => ({
  write: (_, proceed) => {
    const row = proceed();
    return row && { ...row, history: JSON.stringify(change(JSON.parse(row.history) as unknown[])) };
  },
});

/** L1 to L7: the records of stored limits. */
export const recordMutants: readonly Mutant[] = [
  limitMutant("a change is written whatever the record is by now", "L1", { write: ({ row }) => row }),
  limitMutant("a change of a limit that has a record is refused for ever", "L2", {
    write: ({ before }, proceed) => (before ? false : proceed()),
  }),
  limitMutant("a limit that was never set looks as if it had been removed", "L2", {
    read: (row) => row ?? { revision: 1, values: null, untilMs: null, history: "[]" },
  }),
  limitMutant("a removal deletes the record", "L2", {
    write: (_, proceed) => {
      const row = proceed();
      return row && row.values === null ? undefined : row;
    },
  }),
  limitMutant("a removed limit keeps its values", "L2", {
    write: ({ before }, proceed) => {
      const row = proceed();
      return row && { ...row, values: row.values ?? before?.values ?? null };
    },
  }),
  limitMutant(
    "the history has the last change alone",
    "L2",
    kept((history) => history.slice(0, 1)),
  ),
  limitMutant(
    "the history has the oldest change first",
    "L2",
    kept((history) => history.toReversed()),
  ),
  limitMutant("the values of the change before are kept where a change comes", "L2", {
    write: ({ before }, proceed) => {
      const row = proceed();
      return row && { ...row, values: before?.values ?? row.values };
    },
  }),
  limitMutant("a malformed change is made", "L2", { unchecked: ({ method }) => method === "setLimit" }),
  limitMutant("a limit for a while is for good", "L3", {
    write: (_, proceed) => {
      const row = proceed();
      return row && { ...row, untilMs: null };
    },
  }),
  limitMutant("the values of a limit for a while are gone when its time is over", "L3", {
    read: (row) => row && { ...row, values: row.untilMs === null ? row.values : null },
  }),
  limitMutant("a damaged record looks like none", "L6", { read: (row) => (row && row.revision < 1 ? undefined : row) }),
  limitMutant("a damaged record is not replaced", "L6", {
    write: ({ from, before }, proceed) => (from === null ? (before ?? false) : proceed()),
  }),
  limitMutant("a report with a damaged record is served as if there were none", "L6", {
    seen: (row) => (row && row.revision < 1 ? undefined : row),
  }),
  limitMutant("records of one name are one, whatever their kinds", "L7", {
    key: ({ name, key }) => JSON.stringify([name, key]),
  }),
  limitMutant("records of one limit are one, whatever their keys", "L7", {
    key: ({ kind, name }) => JSON.stringify([kind, name]),
  }),
  limitMutant("names and keys of records are joined by a slash", "L7", {
    key: ({ kind, name, key = "" }) => `${kind}/${name}/${key}`.toLowerCase(),
  }),
  mutant("a change that was given up is made all the same", "L7", {
    wrap: (store) => altered(store, { setLimit: (target, change) => store.setLimit(target, change) }),
  }),
  limitMutant("the record goes with a reset of its group", "L7", { goesWithGroup: true }),
];
