import {
  type CoordinationStore,
  createThrottle,
  type MemberRef,
  MemoryStore,
  type Runtime,
  type Throttle,
  type View,
} from "@dt/core";
import { VirtualRuntime } from "@dt/core/testing";
import { type Actor, INTERVAL_MS, type Scene } from "./scene.ts";

/** What the ledger held for each process, from a time on. */
export interface LedgerState {
  readonly atMs: number;
  /** By process: 0 for one that is not a member. */
  readonly held: readonly number[];
  readonly members: number;
}

/** What happened in a scene. Times in milliseconds since it began; epochs are seconds. */
export interface Recording {
  readonly max: number;
  readonly untilMs: number;
  readonly names: readonly string[];
  /** By process: the tokens granted in each epoch. */
  readonly granted: readonly (readonly number[])[];
  /** By process: when its last token was granted. */
  readonly lastGrantMs: readonly number[];
  readonly ledger: readonly LedgerState[];
  /** By process: the time of its last sync, for a process that is lost; undefined for the others. */
  readonly lastSyncMs: readonly (number | undefined)[];
}

/** Processes started well before the scene, so that it begins in agreement. */
const BEFORE_MS = 10_000;
const ONE_WAY_MS = 2;
const LOOK_EVERY_MS = 10;
/** How long a caller waits. */
const PATIENCE_MS = 1_000;

/** Plays a scene with real throttles on the real ledger, in virtual time. The same scene always comes out the same. */
export async function record(scene: Scene): Promise<Recording> {
  const time = new VirtualRuntime({ seed: scene.seed });
  const store = new MemoryStore({ runtime: time });
  const epochs = Math.ceil(scene.untilMs / INTERVAL_MS);
  const processes = scene.actors.map((actor) => new Process(actor, scene, time, store, epochs));
  const ledger: LedgerState[] = [];
  for (let atMs = -BEFORE_MS; atMs < scene.untilMs; atMs += LOOK_EVERY_MS) {
    for (const process of processes) process.live(atMs);
    await time.advance(LOOK_EVERY_MS);
    if (atMs < -LOOK_EVERY_MS) continue;
    const { members, memberCount } = await store.inspect("figure");
    for (const [place, process] of processes.entries())
      process.noteSync(members.find(({ id }) => id === scene.actors[place]?.name)?.silentMs, atMs + LOOK_EVERY_MS);
    const held = scene.actors.map(({ name }) => members.find(({ id }) => id === name)?.held ?? 0);
    const last = ledger.at(-1);
    if (last?.members !== memberCount || held.some((tokens, place) => tokens !== last.held[place]))
      ledger.push({ atMs: atMs + LOOK_EVERY_MS, held, members: memberCount });
  }
  for (const process of processes) process.end();
  await store.close();
  return {
    max: scene.max,
    untilMs: scene.untilMs,
    names: scene.actors.map(({ name }) => name),
    granted: processes.map(({ granted }) => granted),
    lastGrantMs: processes.map(({ lastGrantMs }) => lastGrantMs),
    ledger,
    lastSyncMs: processes.map(({ lastSyncMs }) => lastSyncMs),
  };
}

/** A process: its throttle, its callers, and its way to the store. */
class Process {
  readonly granted: number[];
  lastGrantMs = Number.NaN;
  lastSyncMs: number | undefined;
  readonly #actor: Actor;
  readonly #time: VirtualRuntime;
  readonly #hints: boolean;
  readonly #throttle: Throttle;
  #state: "new" | "running" | "left" | "crash" | "cut-off" = "new";
  #asked = 0;

  constructor(actor: Actor, scene: Scene, time: VirtualRuntime, store: MemoryStore, epochs: number) {
    this.#actor = actor;
    this.#time = time;
    this.#hints = scene.hints;
    this.granted = Array.from({ length: epochs }, () => 0);
    this.#throttle = createThrottle({
      name: "figure",
      memberId: actor.name,
      max: scene.max,
      shares: scene.shares,
      interval: INTERVAL_MS,
      store: this.#wayTo(store),
      runtime: this.#runtime(),
    });
  }

  /** What is due at a time: to start, to be lost or to leave, and a call. */
  live(atMs: number): void {
    const { startsMs, ends, wants } = this.#actor;
    if (this.#state === "new" && atMs >= (startsMs === 0 ? -BEFORE_MS : startsMs)) {
      this.#state = "running";
      void this.#throttle.start();
    }
    if (this.#state === "running" && ends !== undefined && atMs >= ends.atMs) {
      this.#state = ends.how === "leave" ? "left" : ends.how;
      if (ends.how === "leave") void this.#throttle.stop();
    }
    const perSecond = wants.findLast(({ fromMs }) => fromMs === 0 || atMs >= fromMs)?.perSecond;
    if (perSecond === undefined || (this.#state !== "running" && this.#state !== "cut-off")) return;
    this.#asked += (perSecond * LOOK_EVERY_MS) / 1_000;
    for (; this.#asked >= 1; this.#asked -= 1) this.#call();
  }

  /** Notes when the store last recorded a sync of a process that is lost. */
  noteSync(silentMs: number | undefined, atMs: number): void {
    const isLost = this.#state === "crash" || this.#state === "cut-off";
    if (isLost && silentMs !== undefined) this.lastSyncMs = atMs - silentMs;
  }

  /** Nothing of it goes on. */
  end(): void {
    this.#state = "crash";
  }

  #call(): void {
    void this.#throttle.acquireGrant(1, { timeout: PATIENCE_MS }).then(
      ({ epoch, tokens }) => {
        const place = epoch - BEFORE_MS / INTERVAL_MS;
        if (this.#state === "crash" || place < 0 || place >= this.granted.length) return;
        this.granted[place] = (this.granted[place] as number) + tokens;
        this.lastGrantMs = this.#time.now() - BEFORE_MS;
      },
      () => undefined,
    );
  }

  /** Time as this process has it: after a crash nothing happens any more. */
  #runtime(): Runtime {
    return {
      now: () => this.#time.now(),
      random: () => this.#time.random(),
      setTimer: (callback, delayMs) =>
        this.#time.setTimer(() => {
          if (this.#state !== "crash") callback();
        }, delayMs),
    };
  }

  /** Each message takes a little time. Those of a process that is cut off never arrive. */
  #wayTo(store: MemoryStore): CoordinationStore {
    const later = (run: () => void): void => {
      this.#time.setTimer(() => {
        if (this.#state !== "crash" && this.#state !== "cut-off") run();
      }, ONE_WAY_MS);
    };
    const far = <T>(call: () => Promise<T>): Promise<T> =>
      new Promise((resolve, reject) =>
        later(() =>
          call().then(
            (answer) => later(() => resolve(answer)),
            (error: unknown) => later(() => reject(error)),
          ),
        ),
      );
    return {
      capabilities: { ...store.capabilities, hints: this.#hints },
      register: (group, registration) => far<View>(() => store.register(group, registration)),
      sync: (group, member: MemberRef, report) => far<View>(() => store.sync(group, member, report)),
      deregister: (group, member, farewell) => far<void>(() => store.deregister(group, member, farewell)),
      inspect: (group) => store.inspect(group),
      ...(this.#hints && {
        onHint: (group: string, listener: (about?: "pause") => void) =>
          far(async () => (await store.onHint?.(group, (about) => later(() => listener(about)))) ?? (() => undefined)),
      }),
      close: async () => {},
    };
  }
}
