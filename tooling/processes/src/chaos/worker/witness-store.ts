import {
  type CoordinationStore,
  type Farewell,
  type GroupSnapshot,
  isDtError,
  type MemberRef,
  type MemberView,
  type Registration,
  type Report,
  type View,
} from "@dt/core";
import { machineNow } from "../../machine-now.ts";
import type { Operation } from "../history/entry.ts";
import type { LogWriter } from "../history/log-writer.ts";
import type { WitnessRuntime } from "./witness-runtime.ts";

/** A round trip and the store's time in it. */
export interface Reading {
  readonly rttMs: number;
  /** Store time less the machine's. */
  readonly offsetMs: number;
}

/** The real store, which writes down what it was asked and what it answered, before the throttle hears of it. */
export class WitnessStore implements CoordinationStore {
  readonly capabilities;
  readonly onHint?: NonNullable<CoordinationStore["onHint"]>;
  readonly #store: CoordinationStore;
  readonly #log: LogWriter;
  readonly #runtime: WitnessRuntime;
  #reading: Reading | undefined;
  readonly #waiting: (() => void)[] = [];

  constructor(store: CoordinationStore, log: LogWriter, runtime: WitnessRuntime) {
    this.#store = store;
    this.#log = log;
    this.#runtime = runtime;
    this.capabilities = store.capabilities;
    const onHint = store.onHint?.bind(store);
    if (onHint) this.onHint = onHint;
  }

  /** The last answer's. */
  get reading(): Reading | undefined {
    return this.#reading;
  }

  /** Resolves while the next report is under way. */
  reporting(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  async setUp(signal?: AbortSignal): Promise<void> {
    await this.#store.setUp?.(signal);
  }

  register(group: string, registration: Registration, signal?: AbortSignal): Promise<View> {
    return this.#witness("register", () => this.#store.register(group, registration, signal));
  }

  sync(group: string, member: MemberRef, report: Report, signal?: AbortSignal): Promise<View> {
    this.#log.write({ type: "report", atMs: this.#runtime.lastMs, held: report.held });
    for (const run of this.#waiting.splice(0)) setImmediate(run);
    return this.#witness("sync", () => this.#store.sync(group, member, report, signal));
  }

  async deregister(group: string, member: MemberRef, farewell: Farewell, signal?: AbortSignal): Promise<void> {
    const sentMs = this.#runtime.lastMs;
    try {
      await this.#store.deregister(group, member, farewell, signal);
    } catch (error) {
      this.#failed("deregister", sentMs, error);
      throw error;
    }
  }

  inspect(group: string, signal?: AbortSignal): Promise<GroupSnapshot> {
    return this.#store.inspect(group, signal);
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  async #witness(operation: Operation, call: () => Promise<View>): Promise<View> {
    const sentMs = this.#runtime.lastMs;
    try {
      const view = await call();
      const atMs = machineNow();
      const { status, storeTimeMs } = view;
      const member = "held" in view ? { member: memberPart(view) } : {};
      this.#log.write({ type: "answer", sentMs, atMs, operation, status, storeTimeMs, ...member });
      this.#reading = { rttMs: atMs - sentMs, offsetMs: storeTimeMs - (sentMs + atMs) / 2 };
      return view;
    } catch (error) {
      this.#failed(operation, sentMs, error);
      throw error;
    }
  }

  #failed(operation: Operation, sentMs: number, error: unknown): void {
    const code = isDtError(error) ? error.code : String(error);
    this.#log.write({ type: "failed", sentMs, atMs: machineNow(), operation, code });
  }
}

function memberPart({ generation, members, held, entitled, fromEpoch, early, capacity, learning }: MemberView) {
  return { generation, members, held, entitled, fromEpoch, early, capacity, learning };
}
