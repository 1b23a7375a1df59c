import {
  type CoordinationStore,
  createThrottle,
  MemoryStore,
  type Runtime,
  type StoreCapabilities,
  type Throttle,
  type ThrottleOptions,
  type Timer,
  type View,
} from "../../src/index.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";

/** A store's server: its clock can be set, its data lost. */
export class Server {
  readonly #world: VirtualRuntime;
  #clockMs = 0;
  store: MemoryStore;

  constructor(world: VirtualRuntime) {
    this.#world = world;
    this.store = this.#create();
  }

  setClock(byMs: number): void {
    this.#clockMs += byMs;
  }

  loseData(): void {
    this.store = this.#create();
  }

  #create(): MemoryStore {
    const runtime: Runtime = {
      now: () => 1_000_000_000 + this.#world.now() + this.#clockMs,
      random: () => this.#world.random(),
      setTimer: (callback, ms) => this.#world.setTimer(callback, ms),
    };
    return new MemoryStore({ runtime });
  }
}

/**
 * One process: its throttle, its own monotonic clock, its connection, and greedy callers that take whatever they get.
 */
export class Process implements Runtime, CoordinationStore {
  readonly capabilities: StoreCapabilities;
  readonly throttle: Throttle;
  /** Replies that are lost from now on. */
  losesReplies = 0;
  /** When its first token was granted, in world time. */
  firstGrantMs: number | undefined;
  readonly #world: VirtualRuntime;
  readonly #server: Server;
  readonly #offsetMs: number;
  #state: "running" | "paused" | "dead" = "running";
  #woken: (() => void)[] = [];

  constructor(fleet: Fleet, options: Partial<ThrottleOptions>) {
    this.#world = fleet.world;
    this.#server = fleet.server;
    this.#offsetMs = Math.floor(fleet.world.random() * 1e6);
    this.capabilities = { ...this.#server.store.capabilities, losesData: true, hints: false };
    this.throttle = createThrottle({
      name: "g",
      max: fleet.max,
      store: this,
      runtime: this,
      shares: "even",
      learning: 0,
      ...options,
    });
    this.throttle.on("grant", ({ epoch, tokens }) => {
      this.firstGrantMs ??= this.#world.now();
      fleet.record(epoch, tokens);
    });
  }

  get live(): boolean {
    return this.#state === "running";
  }

  /** Stands still, as SIGSTOP does: its clock goes on, nothing else. */
  pause(): void {
    this.#state = "paused";
  }

  resume(): void {
    this.#state = "running";
    for (const wake of this.#woken.splice(0)) wake();
  }

  /** Vanishes, as SIGKILL does. */
  crash(): void {
    this.#state = "dead";
  }

  now(): number {
    return this.#world.now() + this.#offsetMs;
  }

  random(): number {
    return this.#world.random();
  }

  setTimer(callback: () => void, delayMs: number): Timer {
    return this.#world.setTimer(() => this.#whenAwake(callback), delayMs);
  }

  register(...args: Parameters<CoordinationStore["register"]>): Promise<View> {
    return this.#call(() => this.#server.store.register(...args));
  }

  sync(...args: Parameters<CoordinationStore["sync"]>): Promise<View> {
    return this.#call(() => this.#server.store.sync(...args));
  }

  deregister(...args: Parameters<CoordinationStore["deregister"]>): Promise<void> {
    return this.#call(() => this.#server.store.deregister(...args));
  }

  inspect(...args: Parameters<CoordinationStore["inspect"]>): ReturnType<CoordinationStore["inspect"]> {
    return this.#server.store.inspect(...args);
  }

  async close(): Promise<void> {}

  async #call<T>(call: () => Promise<T>): Promise<T> {
    const answer = await call();
    if (this.losesReplies > 0) {
      this.losesReplies -= 1;
      return new Promise(() => undefined);
    }
    return new Promise((resolve) => this.#whenAwake(() => resolve(answer)));
  }

  #whenAwake(callback: () => void): void {
    if (this.#state === "running") callback();
    else if (this.#state === "paused") this.#woken.push(callback);
  }
}

/**
 * Processes around one store, in virtual time. Every grant is recorded under its epoch, and an epoch above the limit is
 * an error at once.
 */
export class Fleet {
  readonly world = new VirtualRuntime({ seed: 7 });
  readonly server = new Server(this.world);
  readonly processes: Process[] = [];
  readonly perEpoch = new Map<number, number>();
  readonly #violations: string[] = [];
  /** The largest limit that any epoch may see. */
  max: number;

  constructor(max: number) {
    this.max = max;
  }

  record(epoch: number, tokens: number): void {
    const sum = (this.perEpoch.get(epoch) ?? 0) + tokens;
    this.perEpoch.set(epoch, sum);
    if (sum > this.max) this.#violations.push(`epoch ${epoch}: ${sum} tokens granted, of ${this.max}`);
  }

  async join(options: Partial<ThrottleOptions> = {}): Promise<Process> {
    const process = new Process(this, options);
    this.processes.push(process);
    const started = process.throttle.start();
    await this.run(20);
    await started;
    return process;
  }

  /** Lets time pass while every live process takes all it can get, every 20 ms. */
  async run(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 20) {
      await this.world.advance(20);
      for (const { live, throttle } of this.processes)
        if (live && throttle.status().state === "running") throttle.tryAcquireUpTo(1_000_000);
    }
    if (this.#violations.length > 0) throw new Error(this.#violations.join("; "));
  }

  /** Tokens granted in the last whole epoch. */
  get lastEpoch(): number {
    const epochs = [...this.perEpoch.keys()].sort((a, b) => a - b);
    return this.perEpoch.get(epochs.at(-2) ?? 0) ?? 0;
  }

  /** True when every live process says that all agree on so many members. */
  agrees(memberCount: number): boolean {
    const statuses = this.processes.filter(({ live }) => live).map(({ throttle }) => throttle.status());
    return statuses
      .filter(({ state }) => state === "running")
      .every((status) => status.agreed && status.members === memberCount);
  }
}
