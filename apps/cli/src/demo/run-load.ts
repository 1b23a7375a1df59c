import { setTimeout as sleep } from "node:timers/promises";
import type { Release } from "@dt/core";
import { Failure } from "../exit-code.ts";
import { nowMs } from "./clock.ts";
import type { Entry } from "./journal.ts";
import type { Arrivals } from "./process/arrivals.ts";
import { Child } from "./process/child.ts";
import type { FromServer, FromWorker, Gate, ToServer, ToWorker } from "./process/messages.ts";
import { CHANGES, type ChangeKind, TIMINGS } from "./timings.ts";

/** A load to put on a server. */
export interface Load {
  /** Requests that the server allows in a sliding second. */
  readonly max: number;
  readonly workers: number;
  readonly seconds: number;
  readonly release: Release;
  readonly gate: Gate;
  /** JSONL file of requests. */
  readonly input: string;
  /** Folder of the run's temporary files. */
  readonly scratch: string;
  /** The file to run the other processes from. */
  readonly entry: string;
}

/** A change of the fleet that was brought about. */
export interface Change {
  readonly kind: ChangeKind;
  readonly worker: number;
  /** When it was brought about; for a join, when the newcomer, up and running, was sent to the store. */
  readonly atMs: number;
}

export interface WorkerEntry {
  readonly worker: number;
  readonly entry: Entry;
}

/** What a run is told while it goes on. */
export interface RunObserver {
  onStart?(startMs: number): void;
  onEntry?(entry: WorkerEntry): void;
  onChange?(change: Change): void;
  onCount?(count: { readonly served: number; readonly rejected: number }): void;
}

/** All that is known of a run; times on the machine's monotonic clock. */
export interface RunRecord {
  readonly startMs: number;
  readonly endMs: number;
  readonly changes: readonly Change[];
  /** In order of time. */
  readonly entries: readonly WorkerEntry[];
  readonly arrivals: Arrivals;
  /** Whether the system gave the processes a raised priority. */
  readonly raised: boolean;
}

/** Time for a process to end by itself; a throttle that leaves waits for its store at most `storeTimeout`. */
const END_WITHIN_MS = 1_500;
/** Time for a worker to leave and have its last requests answered. */
const LEAVE_WITHIN_MS = 10_000;

/**
 * Puts a load on a server of its own: starts the server and the workers, changes the fleet on schedule, ends
 * everything. Leaves no process behind, whatever happens.
 * @throws Failure when a process ends that should not; the signal's reason when `signal` aborts
 */
export async function runLoad(load: Load, observer: RunObserver, signal: AbortSignal): Promise<RunRecord> {
  const run = new LoadRun(load, observer, signal);
  try {
    return await run.run();
  } finally {
    await run.end();
  }
}

type Worker = Child<ToWorker, FromWorker>;

class LoadRun {
  readonly #load: Load;
  readonly #observer: RunObserver;
  /** Aborts when the caller does, or when a process ends that should not. */
  readonly #halt = new AbortController();
  readonly #signal: AbortSignal;
  readonly #server: Child<ToServer, FromServer>;
  readonly #workers = new Map<number, Worker>();
  readonly #departed = new Set<number>();
  readonly #entries: WorkerEntry[] = [];
  readonly #changes: Change[] = [];
  #port = 0;
  #finished = false;

  constructor(load: Load, observer: RunObserver, signal: AbortSignal) {
    this.#load = load;
    this.#observer = observer;
    this.#signal = AbortSignal.any([signal, this.#halt.signal]);
    this.#server = new Child(load.entry, "server", "the server", {
      onMessage: (message) => {
        if (message.type === "count") observer.onCount?.(message);
      },
    });
  }

  async run(): Promise<RunRecord> {
    const { max, workers, seconds, scratch } = this.#load;
    this.#watch(this.#server, () => this.#finished);
    const priority = this.#priority();
    this.#server.send({ type: "setup", max, windowMs: TIMINGS.intervalMs, scratch, priority });
    const { port, raised } = await this.#unlessHalted(this.#server.inbox.take("listening"));
    this.#port = port;
    await Promise.all(Array.from({ length: workers }, (_, index) => this.#startWorker(index + 1)));

    const startMs = nowMs();
    this.#observer.onStart?.(startMs);
    for (const worker of this.#workers.values()) worker.send({ type: "go" });
    for (const { kind, at } of CHANGES) {
      await this.#until(startMs + at * seconds * 1_000);
      await this.#change(kind);
    }
    await this.#until(startMs + seconds * 1_000);
    const endMs = nowMs();
    await this.#dismiss();
    this.#finished = true;
    this.#server.send({ type: "finish" });
    const { arrivals } = await this.#unlessHalted(this.#server.inbox.take("arrivals"));
    const entries = this.#entries.sort((a, b) => a.entry.atMs - b.entry.atMs);
    return { startMs, endMs, changes: this.#changes, entries, arrivals, raised };
  }

  /** Ends every process that still runs. */
  async end(): Promise<void> {
    const processes = [this.#server, ...this.#workers.values()];
    for (const [number] of this.#workers) this.#departed.add(number);
    await Promise.all(processes.map((process) => process.end(END_WITHIN_MS)));
  }

  async #startWorker(number: number): Promise<void> {
    const { entry, workers, gate, release, input, scratch } = this.#load;
    const worker: Worker = new Child(entry, "worker", `worker ${number}`, {
      onEntry: (one) => this.#note({ worker: number, entry: one }),
    });
    this.#workers.set(number, worker);
    this.#watch(worker, () => this.#departed.has(number));
    // One slot more than workers: the one that joins reads requests of its own.
    const slots = { first: number - 1, step: workers + 1, priority: this.#priority() };
    worker.send({
      type: "setup",
      config: { worker: number, gate, release, port: this.#port, input, scratch, ...slots },
    });
    await this.#unlessHalted(worker.inbox.take("ready"));
  }

  async #change(kind: ChangeKind): Promise<void> {
    switch (kind) {
      case "join": {
        const number = this.#load.workers + 1;
        await this.#startWorker(number);
        this.#worker(number).send({ type: "go" });
        return this.#changed({ kind, worker: number, atMs: nowMs() });
      }
      case "kill": {
        this.#departed.add(2);
        this.#changed({ kind, worker: 2, atMs: nowMs() });
        return this.#worker(2).kill();
      }
      case "leave": {
        this.#departed.add(1);
        this.#changed({ kind, worker: 1, atMs: nowMs() });
        return this.#worker(1).send({ type: "leave" });
      }
    }
  }

  #changed(change: Change): void {
    this.#changes.push(change);
    this.#observer.onChange?.(change);
  }

  #note(entry: WorkerEntry): void {
    this.#entries.push(entry);
    this.#observer.onEntry?.(entry);
  }

  /** Lets all workers leave, and waits until each is gone and its journal is read. */
  async #dismiss(): Promise<void> {
    for (const [number, worker] of this.#workers) {
      this.#departed.add(number);
      worker.send({ type: "leave" });
    }
    const late = setTimeout(
      () => this.#halt.abort(new Failure(`a worker did not leave within ${LEAVE_WITHIN_MS} ms`)),
      LEAVE_WITHIN_MS,
    );
    try {
      await this.#unlessHalted(Promise.all([...this.#workers.values()].map((worker) => worker.ended)));
    } finally {
      clearTimeout(late);
    }
  }

  /** A flood is not to push everything else aside. */
  #priority(): boolean {
    return this.#load.gate.type !== "none";
  }

  #worker(number: number): Worker {
    return this.#workers.get(number) as Worker;
  }

  #watch(child: { readonly name: string; readonly ended: Promise<string | undefined> }, mayEnd: () => boolean): void {
    void child.ended.then((how) => {
      if (!mayEnd()) this.#halt.abort(new Failure(`${child.name} ${how ?? "ended too early"}`));
    });
  }

  #until(atMs: number): Promise<void> {
    return this.#unlessHalted(sleep(Math.max(0, atMs - nowMs()), undefined, { signal: this.#signal }));
  }

  /** The result of a promise, or the reason for halting if that comes first. */
  async #unlessHalted<T>(promise: Promise<T>): Promise<T> {
    const signal = this.#signal;
    let onAbort = (): void => undefined;
    const halted = new Promise<never>((_, reject) => {
      onAbort = () => reject(signal.reason);
      if (signal.aborted) onAbort();
      else signal.addEventListener("abort", onAbort, { once: true });
    });
    try {
      // First in the race, so that the reason wins over the error that a signal's abort makes of a timer.
      return await Promise.race([halted, promise]);
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }
}
