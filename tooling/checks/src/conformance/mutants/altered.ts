import { wrapStore } from "@dt/core/store";
import type { Simulated } from "./flaw.ts";

/** A store of which some calls do something else. */
export function altered(store: Simulated, changes: Partial<Simulated>): Simulated {
  return { ...wrapStore(store, (_call, run) => run()), ...changes };
}

/** A call that never settles. */
export const never = (): Promise<never> => new Promise(() => {});
