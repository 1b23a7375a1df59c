import type { Grant, Throttle } from "@dt/core";
import { machineNow } from "../../machine-now.ts";
import type { LogWriter } from "../history/log-writer.ts";
import { takeAll } from "./caller-context.ts";
import type { WitnessRuntime } from "./witness-runtime.ts";

/** Writes down what a throttle grants, and what its callers give back. */
export class WitnessGrants {
  readonly #throttle: Throttle;
  readonly #log: LogWriter;
  #polling = false;
  /** The last grant that was not polled for: where batches are read, the one the next batch goes by. */
  #last = { epoch: 0, tokens: 0 };

  constructor(throttle: Throttle, log: LogWriter, runtime: WitnessRuntime) {
    this.#throttle = throttle;
    this.#log = log;
    throttle.on("grant", ({ epoch, tokens }) => {
      if (!this.#polling) this.#last = { epoch, tokens };
      log.write({ type: "grant", atMs: runtime.lastMs, epoch, tokens });
    });
  }

  /** Takes everything there is, beside somebody who reads batches. */
  poll(): void {
    this.#polling = true;
    try {
      takeAll(this.#throttle);
    } finally {
      this.#polling = false;
    }
  }

  /**
   * Gives `k` tokens of a grant back. Written down first: from then on they are not used, and somebody may be granted
   * them before `deposit` returns.
   */
  giveBack(grant: Grant, k: number): void {
    const { epoch } = grant;
    this.#log.write({ type: "returned", atMs: machineNow(), epoch, tokens: k });
    const taken = grant.deposit(k);
    if (taken !== k) this.#log.write({ type: "refused", atMs: machineNow(), epoch, tokens: k - taken });
  }

  /**
   * A batch came out: each item is a call, and the rest of its grant was given back just now, nobody knows with which
   * answer.
   */
  batched(items: number): void {
    const { epoch, tokens } = this.#last;
    this.#log.write({ type: "returned", atMs: machineNow(), epoch, tokens: tokens - items });
  }
}
