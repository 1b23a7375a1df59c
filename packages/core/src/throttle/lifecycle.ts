import { join } from "../consensus/join.ts";
import type { Membership } from "../consensus/membership.ts";
import { DtError, isDtError } from "../errors/dt-error.ts";
import { checkDuration, checkKeys } from "../kit/check.ts";
import { describe } from "../kit/duration.ts";
import type { Allowance } from "./allowance.ts";
import type { DrainOptions } from "./options.ts";
import type { ThrottleSettings } from "./settings.ts";
import type { TokenLine } from "./token-line.ts";

export type State = "idle" | "starting" | "running" | "draining" | "stopping" | "stopped";

/** For so many times `storeTimeout` a start tries again while the store answers others, and this one too late. */
const PATIENT_STARTS = 16;

const DRAIN_OPTIONS: ReadonlySet<string> = new Set<keyof DrainOptions>(["timeout"]);

/** From the start to the end of a throttle: joining, draining, leaving. Refuses what comes too early or too late. */
export class Lifecycle {
  state: State = "idle";
  readonly #settings: ThrottleSettings;
  readonly #membership: Membership;
  readonly #allowance: Allowance;
  readonly #line: TokenLine;
  #starting: Promise<void> | undefined;
  #stopping: Promise<void> | undefined;
  #draining: Promise<boolean> | undefined;
  /** Wrapped calls that have begun, waiting or running. */
  #calls = 0;
  #whenIdle: (() => void) | undefined;

  constructor(settings: ThrottleSettings, membership: Membership, allowance: Allowance, line: TokenLine) {
    this.#settings = settings;
    this.#membership = membership;
    this.#allowance = allowance;
    this.#line = line;
    line.onEmpty = () => this.#lookForIdle();
  }

  start(): Promise<void> {
    if (this.#ended) return Promise.reject(this.#stoppedError());
    this.#starting ??= this.#start();
    return this.#starting;
  }

  async #start(): Promise<void> {
    this.state = "starting";
    try {
      const { runtime, storeTimeoutMs, onStoreLost } = this.#settings;
      await join(this.#membership, runtime, onStoreLost.type === "floor" ? 0 : PATIENT_STARTS * storeTimeoutMs);
    } catch (error) {
      const outage = isDtError(error, "DT_STORE_UNAVAILABLE") || isDtError(error, "DT_STORE_TIMEOUT");
      if (!outage || this.#settings.onStoreLost.type !== "floor") {
        this.#membership.rest();
        this.#starting = undefined;
        if (this.state === "starting") this.state = "idle";
        this.#line.failAll(error);
        throw error;
      }
    }
    if (this.state !== "starting") throw this.#stoppedError();
    this.state = "running";
    this.#allowance.open = true;
    this.#line.serve();
  }

  /** Refuses new callers, lets those who wait and run finish, and stops; true when all did in time. */
  async drain(options: DrainOptions): Promise<boolean> {
    checkKeys("options", options, DRAIN_OPTIONS);
    const timeoutMs = checkDuration("timeout", options.timeout ?? 25_000, 0);
    this.#draining ??= this.#drain(timeoutMs);
    return this.#draining;
  }

  async #drain(timeoutMs: number): Promise<boolean> {
    if (this.state !== "running") {
      const served = this.#line.size === 0;
      await this.stop();
      return served;
    }
    this.state = "draining";
    const idle = await this.#idleWithin(timeoutMs);
    await this.stop();
    return idle;
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    this.state = "stopping";
    this.#allowance.open = false;
    this.#allowance.untilMs = 0;
    this.#line.failAll(this.#stoppedError());
    await this.#membership.leave();
    this.state = "stopped";
  }

  /** A wrapped call begins; returns what tells that it has ended. */
  begin(): () => void {
    this.#calls += 1;
    return () => {
      this.#calls -= 1;
      this.#lookForIdle();
    };
  }

  /** @throws DtError `DT_NOT_STARTED`, `DT_STOPPED` */
  assertUsable(): void {
    if (this.#ended || this.state === "draining") throw this.#stoppedError();
    if (this.state === "idle")
      throw new DtError("DT_NOT_STARTED", "the throttle has not joined its group; call and await start() first");
  }

  get #ended(): boolean {
    return this.state === "stopping" || this.state === "stopped";
  }

  /** True once nobody waits and no wrapped call is under way, false when that takes longer. */
  #idleWithin(timeoutMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = this.#settings.runtime.setTimer(() => resolve(false), timeoutMs);
      this.#whenIdle = () => {
        timer.cancel();
        resolve(this.state === "draining");
      };
      this.#lookForIdle();
    });
  }

  #lookForIdle(): void {
    if (this.#line.size > 0 || this.#whenIdle === undefined) return;
    // Nothing more is granted to anybody, also while wrapped calls still run.
    this.#allowance.open = false;
    this.#allowance.untilMs = 0;
    if (this.#calls === 0) this.#whenIdle();
  }

  #stoppedError(): DtError {
    const what = this.state === "draining" ? "is being drained" : "was stopped";
    return new DtError(
      "DT_STOPPED",
      `the throttle of group ${describe(this.#settings.group)} ${what}; create a new one`,
    );
  }
}
