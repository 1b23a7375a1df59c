import { type CoordinationStore, createThrottle, isDtError, type Throttle, type View } from "@dt/core";
import { altered } from "../altered.ts";
import type { Bug } from "../fleet/bugs/bug.ts";
import { Timeline } from "../fleet/engine/timeline.ts";
import { Random } from "../random.ts";
import { Book } from "./book.ts";
import { Host } from "./host.ts";
import { Network } from "./network.ts";

/** The model of a server, and how a process reaches it. */
export interface ServerModel {
  /** A store as a process uses it. */
  connect(host: Host, network: Network): CoordinationStore;
  /** Does something of its own that goes wrong with such servers, for a while. */
  disturb(random: Random): void;
  /** Undoes that. */
  heal(): void;
}

/** What every throttle of a fleet is configured with. What is left out is the default of `createThrottle`. */
export interface FleetOptions {
  readonly max: number;
  readonly intervalMs?: number;
  readonly staleAfterMs?: number;
  readonly validityMs?: number;
  readonly syncIntervalMs?: number;
  readonly storeTimeoutMs?: number;
  readonly clockErrorMs?: number;
  /** `demand` where the store of a member can. Default `even`. */
  readonly shares?: "even" | "demand";
  /** Most by which a clock runs fast or slow, as a fraction. */
  readonly drift?: number;
  /** One-way delay of a message that is not late, at most. */
  readonly latencyMs?: number;
}

/** What is different about one process. */
export interface ProcessOptions {
  readonly staleAfterMs?: number;
  /** Tokens that it asks for about fifty times a second. Default more than any share. */
  readonly asksMost?: number;
  /** How long it does so and then does not, by turns. Default it never rests. */
  readonly restsMs?: number;
}

interface Process {
  readonly host: Host;
  readonly network: Network;
  readonly store: CoordinationStore;
  readonly throttle: Throttle;
  readonly demands: boolean;
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
  readonly #networks: Network[] = [];
  readonly #bug: Bug | undefined;
  #boots = 0;

  /** @param bug the fault that is put in. Default none */
  constructor(seed: number, options: FleetOptions, model: (timeline: Timeline, random: Random) => Server, bug?: Bug) {
    this.#bug = bug;
    this.#seed = seed;
    this.#options = options;
    this.server = model(this.timeline, new Random(seed, "server"));
    this.book = new Book(options.max);
  }

  /** How many were started so far. */
  get boots(): number {
    return this.#boots;
  }

  /** Starts a process; one that cannot join tries again. */
  boot(id: string, own: ProcessOptions = {}): void {
    const name = `${id}#${++this.#boots}`;
    const options = this.#options;
    const { max, drift = 0.0005, latencyMs = 8 } = options;
    const host = new Host(name, this.timeline, new Random(this.#seed, `host ${name}`), drift);
    const network = new Network(this.timeline, new Random(this.#seed, `network ${name}`), host, latencyMs);
    const runtime = this.#bug?.runtime?.(host) ?? host;
    const reached = this.#watched(host, this.server.connect(host, network));
    const store = this.#bug?.store?.(reached, runtime) ?? reached;
    const demands = options.shares === "demand" && store.capabilities.demand === true;
    const throttle = createThrottle({
      name: "g",
      memberId: id,
      max,
      store,
      runtime,
      staleAfter: own.staleAfterMs ?? options.staleAfterMs ?? 10_000,
      ...(options.intervalMs !== undefined && { interval: options.intervalMs }),
      ...(options.validityMs !== undefined && { validity: options.validityMs }),
      ...(options.syncIntervalMs !== undefined && { syncInterval: options.syncIntervalMs }),
      ...(options.storeTimeoutMs !== undefined && { storeTimeout: options.storeTimeoutMs }),
      ...(options.clockErrorMs !== undefined && { clockError: options.clockErrorMs }),
      shares: demands ? "demand" : "even",
    });
    throttle.on("grant", ({ epoch, tokens }) => this.book.grant(name, epoch, tokens, this.timeline.nowMs));
    this.#processes.set(id, { host, network, store, throttle, demands });
    this.#networks.push(network);
    const { asksMost = ALL, restsMs = 0 } = own;
    const take = (): void => {
      if (throttle.status().state !== "running") return;
      const rests = restsMs > 0 && Math.floor(host.now() / restsMs) % 2 === 1;
      if (!rests) throttle.tryAcquireUpTo(asksMost);
      host.setTimer(take, host.random() * 40);
    };
    const start = (): void => void throttle.start().then(take, () => host.setTimer(start, 500));
    start();
  }

  /** It stops once it is told to, which a process that is paused is when it goes on. */
  stop(id: string): void {
    const { host, throttle } = this.#process(id);
    host.deliver("timer", () => void throttle.stop());
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
    const { network } = this.#process(id);
    network.cut = "silent";
    this.timeline.after(forMs, () => {
      network.cut = undefined;
    });
  }

  /** Loses some messages, and lets some come late. */
  disturb(id: string, weather: { readonly lost: number; readonly late: number }, forMs: number): void {
    const { network } = this.#process(id);
    Object.assign(network, weather);
    this.timeline.after(forMs, () => Object.assign(network, { lost: 0, late: 0 }));
  }

  /** Everything works again. */
  heal(): void {
    this.server.heal();
    for (const network of this.#networks) network.heal();
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

  /** Who does not agree with all others, and why. Nobody agrees beside one that shares by demand (R25). */
  get disagreeing(): readonly string[] {
    const shouldAgree = ![...this.#processes.values()].some(({ demands }) => demands);
    const size = this.#processes.size;
    return [...this.#processes.values()].flatMap(({ host, throttle }) => {
      const { agreed, members, state, lastError } = throttle.status();
      if (agreed === shouldAgree && members === size) return [];
      const why = lastError ? `: ${lastError.message}` : "";
      return `${host.name} (${state}) does not agree with ${size} members but with ${members} (agreed: ${agreed})${why}`;
    });
  }

  /** True when all processes agree on each other. */
  get agrees(): boolean {
    return this.disagreeing.length === 0;
  }

  #process(id: string): Process {
    const process = this.#processes.get(id);
    if (!process) throw new Error(`there is no process ${id}`);
    return process;
  }

  /** The same store; every answer is noted in the book, and every request that a store refuses. */
  #watched(host: Host, store: CoordinationStore): CoordinationStore {
    const { book, timeline } = this;
    const told = async <T extends View>(call: Promise<T>): Promise<T> => {
      try {
        const view = await call;
        if (!host.gone) book.answered(host.name, view.storeTimeMs, timeline.nowMs);
        return view;
      } catch (error) {
        if (isDtError(error, "DT_INVALID_OPTION"))
          book.violations.push({ atMs: timeline.nowMs, detail: `${host.name} is refused: ${error.message}` });
        throw error;
      }
    };
    return altered(store, {
      register: (...said) => told(store.register(...said)),
      sync: (...said) => told(store.sync(...said)),
    });
  }
}
