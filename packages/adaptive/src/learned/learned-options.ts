import type { LimitLedger } from "@dt/core";
import { option, settingsOf } from "@dt/core/internal";

/** Where what is learned is kept, so that processes that start later start from it. */
export interface LearnedOptions {
  /** A store that keeps limits (`setLimit`). All stores of `@dt` do. */
  readonly store: LimitLedger;
  /**
   * The name that it is kept by. Processes that call one callee give one name.
   * @default the name of the limiter
   */
  readonly name?: string;
}

const LEARNED = {
  store: option.having<LimitLedger>(["readLimit", "setLimit"], "give a store that keeps limits, such as a MemoryStore"),
  name: option.name.optional,
};

/** The option `learned`, checked. */
export const LEARNED_OPTION: option.Option<LearnedOptions | undefined> = option.checked((name, given) => {
  const { store, name: own } = settingsOf(LEARNED, given as object, name, `${name}.`);
  return own === undefined ? { store } : { store, name: own };
}).optional;
