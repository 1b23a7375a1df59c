import { DtError } from "../errors/dt-error.ts";
import { type Answer, type Call, SetUpFirst } from "./call.ts";
import type { Calls } from "./calls.ts";

/** What has to be made once, before the first call. */
export interface SetUp {
  /** How long making it may take, in milliseconds. */
  readonly timeoutMs: number;
  /**
   * Whether it was made; asked before every call. A store that has made it, or seen it, answers by itself. A store that
   * does not know yet asks the database, within the call's deadline.
   * @param call the call under way: its deadline, its signal, and whether it was sent
   */
  isDone(call: Call): Answer<boolean>;
  /**
   * Makes it. Other processes may do so at the same time.
   * @param call the call under way: its deadline, its signal, and whether it was sent
   */
  make(call: Call): Promise<void>;
}

/** A call may find what was set up missing, and find that it was dropped again before the next try. */
const MOST_TRIES = 3;

/** Calls that need something set up. Where it is missing it is made first, and the call's deadline begins then. */
export class PreparedCalls {
  readonly #calls: Calls;
  readonly #setUp: SetUp;
  readonly #store: string;

  /** @param store its name, for messages */
  constructor(calls: Calls, setUp: SetUp, store: string) {
    this.#calls = calls;
    this.#setUp = setUp;
    this.#store = store;
  }

  /** Makes it, unless that was done. */
  async make(signal: AbortSignal | undefined): Promise<void> {
    const setUp = this.#setUp;
    if (await this.#calls.run("set-up", signal, (call) => setUp.isDone(call))) return;
    await this.#calls.run("set-up", signal, (call) => setUp.make(call), setUp.timeoutMs);
  }

  /** See {@link Calls.run}. */
  async run<T>(name: string, signal: AbortSignal | undefined, operation: (call: Call) => Answer<T>): Promise<T> {
    const prepared = async (call: Call): Promise<T> => {
      if (!(await this.#setUp.isDone(call))) throw new SetUpFirst();
      return operation(call);
    };
    for (let tries = 1; ; tries++) {
      try {
        return await this.#calls.run(name, signal, prepared);
      } catch (error) {
        if (!(error instanceof SetUpFirst)) throw error;
        if (tries === MOST_TRIES) throw vanished(`${this.#store} ${name}`);
      }
      await this.make(signal);
    }
  }
}

function vanished(what: string): DtError {
  const problem = "what the store set up was missing again after it was made";
  return new DtError("DT_STORE_UNSUITABLE", `${what} failed: ${problem}; find the program that drops it`);
}
