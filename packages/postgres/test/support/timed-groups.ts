import type { TimedGroups } from "@dt-tooling/simulator/ledger-operations";
import type { PostgresStore } from "../../src/index.ts";
import type { TestClock } from "./test-clock.ts";

/** The store's groups, at the time that the caller says. */
export function timedGroups(store: PostgresStore, clock: TestClock): TimedGroups {
  let setMs = 0;
  const at = async <T>(clockMs: number, operation: () => Promise<T>): Promise<T> => {
    if (clockMs !== setMs) await clock.set(clockMs);
    setMs = clockMs;
    return operation();
  };
  return {
    register: (group, registration, clockMs) => at(clockMs, () => store.register(group, registration)),
    sync: (group, member, report, clockMs) => at(clockMs, () => store.sync(group, member, report)),
    deregister: (group, member, farewell, clockMs) => at(clockMs, () => store.deregister(group, member, farewell)),
    inspect: (group, clockMs) => at(clockMs, () => store.inspect(group)),
  };
}
