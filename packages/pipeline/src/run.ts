import type { Timer } from "@dt/core";
import { elapsed, whenAborted, withDeadline } from "@dt/core/internal";
import { Caller, DROPPED, NOT_BEGUN } from "./caller.ts";
import type { Ending } from "./ending.ts";
import { CLOSED } from "./handoff.ts";
import type { CallFor, Source } from "./options.ts";
import { Outputs } from "./outputs.ts";
import { Reader } from "./reader.ts";
import { Schedule, type Waiting } from "./schedule.ts";
import type { PipelineSettings } from "./settings.ts";
import type { Sink } from "./sinks/sink.ts";
import { type Counted, emptyCounts, type PipelineStatus } from "./status.ts";

/** A source that never waits must not keep the rest of the process waiting for longer. */
const TURN_MS = 20;

/** One way of all records of a source. */
export class Run<Input, Result> {
  readonly #source: Source<Input>;
  readonly #settings: PipelineSettings<Input, Result>;
  readonly #schedule: Schedule<Input>;
  readonly #caller: Caller<Input, Result>;
  readonly #stop = new AbortController();
  readonly #late = new AbortController();
  /** Records that were read and have not ended; the first of them is the oldest. */
  readonly #open = new Set<number>();
  readonly #counts: Record<Counted, number> = emptyCounts();
  #outputs: Outputs<Input, Result>;
  #reader: Reader<Input> | undefined;
  #state: PipelineStatus["state"] = "ready";
  #failure: { readonly error: unknown } | undefined;
  /** Nothing more is begun. */
  #stopping = false;
  /** Nothing that still comes is heard. */
  #over = false;
  /** `ended`: the source has no more. `left`: it is not read any more. */
  #reading: "goes on" | "ended" | "left" = "goes on";
  #read = 0;
  #inflight = 0;
  #drainTimer: Timer | undefined;
  #roomMade: (() => void) | undefined;
  #allEnded: () => void = () => undefined;

  constructor(source: Source<Input>, call: CallFor<Input, Result>, settings: PipelineSettings<Input, Result>) {
    this.#source = source;
    this.#settings = settings;
    this.#outputs = new Outputs(settings.sinks);
    this.#schedule = new Schedule(settings, () => this.#pump());
    this.#caller = new Caller(settings, call, this.#stop.signal, this.#late.signal);
  }

  status(): PipelineStatus {
    const [oldest = this.#read] = this.#open;
    return {
      state: this.#state,
      read: this.#read,
      waiting: this.#schedule.waiting,
      inflight: this.#inflight,
      ...this.#counts,
      retries: this.#caller.retries,
      lowWater: oldest,
      groups: this.#schedule.groups,
    };
  }

  /** @param listener hears of every ending after its output */
  async run(listener?: Pick<Sink<Input, Result>, "write">): Promise<PipelineStatus> {
    const { signal, checkpoint, sinks } = this.#settings;
    this.#outputs = new Outputs(sinks, listener);
    this.#state = "running";
    const stopListening = signal && whenAborted(signal, () => this.abort());
    let begun = false;
    try {
      if (signal?.aborted) this.abort();
      // Before anything is awaited: a source may be live.
      else this.#reader = new Reader(this.#source);
      await this.#outputs.open();
      checkpoint?.begin(() => this.#outputs.flush());
      begun = true;
      await this.#flow(this.#reader);
    } catch (error) {
      this.#fail(error);
    }
    stopListening?.();
    await this.#close(begun);
    if (this.#failure) throw this.#failure.error;
    return this.status();
  }

  /** Ends in order: nothing more is read or begun, calls under way end and are written, for `drainTimeout` at most. */
  abort(): void {
    if (this.#stopping || this.#over) return;
    this.#stopping = true;
    if (this.#state === "running") this.#state = "draining";
    this.#stop.abort(NOT_BEGUN);
    this.#schedule.stop();
    void this.#reader?.stop();
    this.#roomMade?.();
    this.#giveUpLate();
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
    this.abort();
  }

  /** Resolves when everything that was read has ended, or the run was ended and what is under way has. */
  async #flow(reader: Reader<Input> | undefined): Promise<void> {
    const allEnded = new Promise<void>((resolve) => {
      this.#allEnded = resolve;
    });
    if (reader && !this.#stopping) await Promise.race([this.#readAll(reader), allEnded]);
    else this.#reading = "left";
    this.#look();
    await allEnded;
  }

  async #readAll(reader: Reader<Input>): Promise<void> {
    const { runtime, buffer } = this.#settings;
    let turnMs = runtime.now();
    let failure: { readonly error: unknown } | undefined;
    try {
      while (!this.#stopping) {
        const next = await reader.next();
        // What arrives when the end has begun is left to whoever reads the source again.
        if (next === undefined || this.#stopping) break;
        const index = this.#read;
        this.#read += 1;
        this.#open.add(index);
        this.#schedule.add({ input: next.input, index });
        this.#pump();
        if (this.#schedule.waiting >= buffer) await this.#room();
        if (runtime.now() - turnMs < TURN_MS) continue;
        await elapsed(runtime, 0);
        turnMs = runtime.now();
      }
    } catch (error) {
      failure = { error };
    }
    this.#reading = this.#stopping ? "left" : "ended";
    // What was read before the source failed still goes its way.
    this.#failure ??= failure;
    if (this.#stopping) return;
    this.#schedule.close();
    this.#pump();
  }

  /** Resolves when there is room for one more, or nothing more is wanted. */
  #room(): Promise<void> {
    return new Promise((resolve) => {
      this.#roomMade = () => {
        this.#roomMade = undefined;
        resolve();
      };
      if (this.#stopping) this.#roomMade();
    });
  }

  /** Begins what may be begun. */
  #pump(): void {
    const { concurrency, buffer } = this.#settings;
    while (!this.#stopping && this.#inflight < concurrency) {
      const record = this.#schedule.take();
      if (record === undefined) break;
      this.#inflight += 1;
      void this.#process(record);
    }
    if (this.#schedule.waiting < buffer) this.#roomMade?.();
  }

  async #process(record: Waiting<Input>): Promise<void> {
    const { index } = record;
    try {
      const ending = await this.#caller.end(record);
      if (ending !== NOT_BEGUN && !this.#over) {
        if (ending !== DROPPED) await this.#outputs.write(ending);
        // Counted in the same step in which the checkpoint hears of it: counts that are saved with a checkpoint fit it.
        this.#counts[ending === DROPPED ? "dropped" : countedAs(ending)] += 1;
        await this.#settings.checkpoint?.ended(index);
        this.#open.delete(index);
      }
    } catch (error) {
      // An ending that nobody took is no ending; where the loop over them was left, that is no failure.
      if (error !== CLOSED) this.#fail(error);
    }
    this.#inflight -= 1;
    this.#schedule.ended(record);
    this.#pump();
    this.#look();
  }

  #look(): void {
    const nothingWaits = this.#stopping || (this.#reading === "ended" && this.#schedule.waiting === 0);
    if (this.#reading !== "goes on" && nothingWaits && this.#inflight === 0) this.#allEnded();
  }

  /** Calls that take too long to end are not waited for. */
  #giveUpLate(): void {
    const { runtime, drainTimeoutMs } = this.#settings;
    this.#drainTimer = runtime.setTimer(() => {
      this.#over = true;
      this.#late.abort(new DOMException("the run was ended", "AbortError"));
      this.#allEnded();
    }, drainTimeoutMs);
  }

  async #close(begun: boolean): Promise<void> {
    const { guard, ownGuard, checkpoint } = this.#settings;
    this.#over = true;
    this.#drainTimer?.cancel();
    this.#schedule.stop();
    await this.#closeSource();
    if (begun) await this.#unlessFailed(() => checkpoint?.save());
    await this.#unlessFailed(() => this.#outputs.close());
    if (ownGuard) guard.stop();
    const allDone = this.#reading === "ended" && this.#open.size === 0;
    this.#state = this.#failure ? "failed" : allDone ? "done" : "aborted";
  }

  /** A source that does not close is left alone after a while. */
  async #closeSource(): Promise<void> {
    const { runtime, drainTimeoutMs: timeoutMs } = this.#settings;
    const close = async (): Promise<void> => this.#reader?.stop();
    await withDeadline(close, { runtime, timeoutMs, what: "the closing of the source" }).catch(() => undefined);
  }

  async #unlessFailed(step: () => Promise<void> | undefined): Promise<void> {
    try {
      await step();
    } catch (error) {
      this.#failure ??= { error };
    }
  }
}

function countedAs(ending: Ending): Counted {
  if (ending.kind !== "throttled") return ending.kind;
  return ending.by === "client" ? "throttledByClient" : "throttledByCallee";
}
