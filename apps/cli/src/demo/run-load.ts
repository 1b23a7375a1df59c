import { setTimeout as sleep } from "node:timers/promises";
import { Failure } from "../exit-code.ts";
import { Child } from "./child.ts";
import type { ServerSetup } from "./process/server.ts";
import type { WorkerSetup } from "./process/worker.ts";
import type { Arrival, Change, Entry, FromServer, RunObserver, RunRecord, WorkerEntry } from "./record.ts";
import { CHANGES, type ChangeKind, nowMs } from "./timings.ts";

/** A load to put on a server: every worker is set up alike, but for its number and the port. */
export interface Load extends Omit<WorkerSetup, "worker" | "port"> {
  /** Requests that the server allows in a sliding second. */
  readonly allowed: number;
  readonly workers: number;
  readonly seconds: number;
  /** The file to run the other processes from. */
  readonly entry: string;
}

/** Time for a process to end by itself; a throttle that leaves waits for its store at most `storeTimeout`. */
const END_WITHIN_MS = 1_500;
/** Time for a worker to leave and have its last requests answered. */
const LEAVE_WITHIN_MS = 10_000;

/** A load, and what is told while it lasts. */
export interface Watched {
  readonly load: Load;
  readonly observer: RunObserver;
}

/**
 * Puts two loads on servers of their own, at the same time: starts the servers and the workers, changes the fleets on
 * schedule, ends everything. Leaves no process behind, whatever happens.
 * @throws Failure when a process ends that should not; the signal's reason when `signal` aborts
 */
export async function runLoads(one: Watched, other: Watched, signal: AbortSignal): Promise<[RunRecord, RunRecord]> {
  const halt = new AbortController();
  const either = AbortSignal.any([signal, halt.signal]);
  const fleetOf = ({ load, observer }: Watched): Fleet => new Fleet(load, observer, either, (why) => halt.abort(why));
  const fleets = [fleetOf(one), fleetOf(other)] as const;
  try {
    await Promise.all(fleets.map((fleet) => fleet.prepare()));
    const startMs = nowMs();
    return await Promise.all([fleets[0].run(startMs), fleets[1].run(startMs)]);
  } finally {
    await Promise.all(fleets.map((fleet) => fleet.end()));
  }
}

/** A server, and the workers that call it. */
class Fleet {
  readonly #load: Load;
  readonly #observer: RunObserver;
  readonly #halt: (why: Failure) => void;
  /** Aborts when the caller does, or when a process ends that should not. */
  readonly #signal: AbortSignal;
  readonly #halted: Promise<never>;
  readonly #server: Child<FromServer>;
  readonly #workers = new Map<number, Child<Entry>>();
  /** Processes that may end. */
  readonly #departed = new Set<unknown>();
  readonly #entries: WorkerEntry[] = [];
  readonly #changes: Change[] = [];
  readonly #arrivals: Arrival[] = [];
  #port = 0;
  #raised = false;

  constructor(load: Load, observer: RunObserver, signal: AbortSignal, halt: (why: Failure) => void) {
    this.#load = load;
    this.#observer = observer;
    this.#signal = signal;
    this.#halt = halt;
    this.#halted = new Promise((_, reject) => {
      const halted = (): void => reject(this.#signal.reason);
      if (this.#signal.aborted) halted();
      else this.#signal.addEventListener("abort", halted, { once: true });
    });
    this.#halted.catch(() => undefined);
    this.#server = this.#watched(
      new Child<FromServer>(load.entry, "server", "the server", (told) => {
        if (told.type !== "arrivals") return;
        this.#arrivals.push(...told.arrivals);
        observer.onArrivals?.(told.arrivals);
      }),
    );
  }

  /**
   * Starts all processes, also the one that joins later: a process that starts while others are measured would take
   * their processor away.
   */
  async prepare(): Promise<void> {
    const { allowed, workers, scratch } = this.#load;
    this.#server.send(JSON.stringify({ max: allowed, scratch } satisfies ServerSetup));
    const listening = await this.#unlessHalted(this.#server.first);
    if (listening.type !== "listening") throw new Failure("the server reported arrivals before it listened");
    this.#port = listening.port;
    this.#raised = listening.raised;
    await Promise.all(Array.from({ length: workers + 1 }, (_, index) => this.#startWorker(index + 1)));
  }

  async run(startMs: number): Promise<RunRecord> {
    const { workers, seconds } = this.#load;
    this.#observer.onStart?.(startMs);
    for (const [number, worker] of this.#workers) if (number <= workers) worker.send("go");
    for (const { kind, at } of CHANGES) {
      await this.#until(startMs + at * seconds * 1_000);
      this.#change(kind);
    }
    await this.#until(startMs + seconds * 1_000);
    const endMs = nowMs();
    await this.#dismiss();
    this.#departed.add(this.#server);
    this.#server.send("finish");
    await this.#unlessHalted(this.#server.ended);
    const entries = this.#entries.sort((a, b) => a.entry.atMs - b.entry.atMs);
    return { startMs, endMs, changes: this.#changes, entries, arrivals: this.#arrivals, raised: this.#raised };
  }

  /** Ends every process that still runs. */
  async end(): Promise<void> {
    const processes = [this.#server, ...this.#workers.values()];
    for (const process of processes) this.#departed.add(process);
    await Promise.all(processes.map((process) => process.end(END_WITHIN_MS)));
  }

  async #startWorker(worker: number): Promise<void> {
    const { entry, store, name, max, release, scratch } = this.#load;
    const child = new Child<Entry>(entry, "worker", `worker ${worker}`, (one) => {
      this.#entries.push({ worker, entry: one });
      this.#observer.onEntry?.({ worker, entry: one });
    });
    this.#workers.set(worker, this.#watched(child));
    const setup: WorkerSetup = { worker, store, name, max, release, port: this.#port, scratch };
    child.send(JSON.stringify(setup));
    await this.#unlessHalted(child.first);
  }

  #change(kind: ChangeKind): void {
    const worker = { join: this.#load.workers + 1, kill: 2, leave: 1 }[kind];
    const child = this.#workers.get(worker) as Child<Entry>;
    if (kind !== "join") this.#departed.add(child);
    const change = { kind, worker, atMs: nowMs() };
    this.#changes.push(change);
    this.#observer.onChange?.(change);
    if (kind === "join") child.send("go");
    if (kind === "kill") child.kill();
    if (kind === "leave") child.send("leave");
  }

  /** Lets all workers leave, and waits until each is gone and all that it told is read. */
  async #dismiss(): Promise<void> {
    for (const worker of this.#workers.values()) {
      this.#departed.add(worker);
      worker.send("leave");
    }
    const late = setTimeout(
      () => this.#halt(new Failure(`a worker did not leave within ${LEAVE_WITHIN_MS} ms`)),
      LEAVE_WITHIN_MS,
    );
    try {
      await this.#unlessHalted(Promise.all([...this.#workers.values()].map((worker) => worker.ended)));
    } finally {
      clearTimeout(late);
    }
  }

  /** A process that ends before it may ends the run. */
  #watched<C extends { readonly name: string; readonly ended: Promise<string | undefined> }>(child: C): C {
    void child.ended.then((how) => {
      if (!this.#departed.has(child)) this.#halt(new Failure(`${child.name} ${how ?? "ended too early"}`));
    });
    return child;
  }

  #until(atMs: number): Promise<void> {
    return this.#unlessHalted(sleep(Math.max(0, atMs - nowMs()), undefined, { signal: this.#signal }));
  }

  /** The result of a promise, or the reason for halting: that wins over the error that it makes of a timer. */
  #unlessHalted<T>(promise: Promise<T>): Promise<T> {
    return Promise.race([this.#halted, promise]);
  }
}
