import { type CoordinationStore, createThrottle, type Throttle } from "@dt/core";
import { Random } from "../random.ts";
import { Timeline } from "../sim/engine/timeline.ts";
import { Book } from "./book.ts";
import { Host } from "./host.ts";
import { Network } from "./network.ts";
import type { ServerModel } from "./world.ts";

/** What every throttle of a fleet is configured with. */
export interface FleetOptions {
  readonly max: number;
  readonly staleAfterMs?: number;
  /** Most by which a clock runs fast or slow, as a fraction. */
  readonly drift?: number;
  readonly latencyMs?: number;
}

interface Process {
  readonly host: Host;
  readonly network: Network;
  readonly store: CoordinationStore;
  readonly throttle: Throttle;
}

/** More than any share. */
const ALL = 1_000_000;

/**
 * A living fleet, to which a test does what people do to a store: real throttles on the model of a server, each of
 * which takes every token it can get. Judged from outside, by the calls made: {@link Book.violations} names every epoch
 * in which more than `max` were granted, gross.
 */
export class Fleet<Server extends ServerModel> {
  readonly timeline = new Timeline();
  readonly server: Server;
  readonly book: Book;
  readonly #options: FleetOptions;
  readonly #seed: number;
  readonly #processes = new Map<string, Process>();
  #boots = 0;

  constructor(seed: number, options: FleetOptions, model: (timeline: Timeline, random: Random) => Server) {
    this.#seed = seed;
    this.#options = options;
    this.server = model(this.timeline, new Random(seed, "server"));
    this.book = new Book(options.max);
  }

  /** Starts a process, with a stale age of its own if one is given; one that cannot join tries again. */
  boot(id: string, staleAfterMs = this.#options.staleAfterMs ?? 10_000): void {
    const name = `${id}#${++this.#boots}`;
    const { max, drift = 0.0005, latencyMs = 8 } = this.#options;
    const host = new Host(name, this.timeline, new Random(this.#seed, `host ${name}`), drift);
    const network = new Network(this.timeline, new Random(this.#seed, `network ${name}`), host, latencyMs);
    const store = this.server.connect(host, network);
    const throttle = createThrottle({
      group: "g",
      processorId: id,
      max,
      store,
      runtime: host,
      staleAfter: staleAfterMs,
    });
    throttle.on("grant", ({ epoch, tokens }) => this.book.grant(name, epoch, tokens, this.timeline.nowMs));
    this.#processes.set(id, { host, network, store, throttle });
    const take = (): void => {
      if (throttle.status().state !== "running") return;
      throttle.tryAcquire(ALL);
      host.setTimer(take, host.random() * 40);
    };
    const start = (): void => void throttle.start().then(take, () => host.setTimer(start, 500));
    start();
  }

  stop(id: string): void {
    void this.#process(id).throttle.stop();
    this.#processes.delete(id);
  }

  crash(id: string): void {
    this.#process(id).host.crash();
    this.#processes.delete(id);
  }

  pause(id: string, forMs: number): void {
    this.#process(id).host.pause(forMs);
  }

  cut(id: string, forMs: number): void {
    const { weather } = this.#process(id).network;
    weather.cut = true;
    this.timeline.after(forMs, () => {
      weather.cut = false;
    });
  }

  status(id: string): ReturnType<Throttle["status"]> {
    return this.#process(id).throttle.status();
  }

  get ids(): readonly string[] {
    return [...this.#processes.keys()];
  }

  /** What a process uses as its store. */
  storeOf(id: string): CoordinationStore {
    return this.#process(id).store;
  }

  run(ms: number): Promise<void> {
    return this.timeline.run(this.timeline.nowMs + ms);
  }

  /** Epochs in which more than `max` tokens were granted, and the most in one. */
  get exceeded(): { readonly epochs: number; readonly most: number; readonly all: number } {
    const sums = [...this.book.epochs.values()].map(({ tokens }) => tokens);
    return {
      epochs: sums.filter((tokens) => tokens > this.#options.max).length,
      most: Math.max(0, ...sums),
      all: sums.length,
    };
  }

  /** True when all processes agree on each other. */
  get agrees(): boolean {
    return this.ids.every((id) => {
      const { agreed, poolSize } = this.status(id);
      return agreed && poolSize === this.#processes.size;
    });
  }

  #process(id: string): Process {
    const process = this.#processes.get(id);
    if (!process) throw new Error(`there is no process ${id}`);
    return process;
  }
}
