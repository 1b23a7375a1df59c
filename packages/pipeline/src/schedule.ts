import type { AdaptiveThrottle } from "@dt/adaptive";
import type { Timer } from "@dt/core";
import { Fifo } from "@dt/core/internal";
import type { Numbered } from "./endings.ts";
import type { PipelineSettings } from "./settings.ts";

/** So many groups without records keep their counters; those that were used longest ago lose them. */
const IDLE_GROUPS = 1_000;

/** Records that count, and wait, together. */
export class Group<Input> {
  readonly counters: AdaptiveThrottle | undefined;
  /** Read, and waiting for the end of the interval. */
  held: Waiting<Input>[] = [];
  timer: Timer | undefined;
  /** May be begun. */
  readonly ready = new Fifo<Waiting<Input>>();
  /** Its records that have not ended. */
  size = 0;

  constructor(counters: AdaptiveThrottle | undefined) {
    this.counters = counters;
  }
}

/** Records that go one after another. Known only while it has some. */
interface Key<Input> {
  readonly value: unknown;
  readonly group: Group<Input>;
  /** Wait for the one before. */
  readonly parked: Fifo<Waiting<Input>>;
  /** True while one of them may be begun, or was and has not ended. */
  busy: boolean;
  size: number;
}

/** A record that was read. */
export interface Waiting<Input> extends Numbered<Input> {
  readonly group: Group<Input>;
  readonly key: Key<Input> | undefined;
  /** What a function of the options threw when it was asked about this record. */
  readonly broken: { readonly error: unknown } | undefined;
}

/**
 * Says which record is next: of the groups in turn, so that none waits for a longer one; of each in the order they
 * came.
 */
export class Schedule<Input> {
  readonly #settings: PipelineSettings<Input, unknown>;
  readonly #changed: () => void;
  readonly #groups = new Map<unknown, Group<Input>>();
  /** Values of groups that have no records now, those that were used longest ago first. */
  readonly #idle = new Set<unknown>();
  readonly #names = new WeakMap<Group<Input>, unknown>();
  readonly #keys = new Map<unknown, Key<Input>>();
  /** Groups with records that may be begun. */
  readonly #turns = new Fifo<Group<Input>>();
  #closed = false;
  #waiting = 0;

  /** @param changed told when records that waited for the interval may be begun */
  constructor(settings: PipelineSettings<Input, unknown>, changed: () => void) {
    this.#settings = settings;
    this.#changed = changed;
  }

  /** Records that were read and not begun. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Groups that are known at the moment. */
  get groups(): number {
    return this.#groups.size;
  }

  add(numbered: Numbered<Input>): void {
    const record = this.#placed(numbered);
    const { group, key } = record;
    group.size += 1;
    if (key) key.size += 1;
    this.#waiting += 1;
    const { intervalMs, runtime } = this.#settings;
    if (intervalMs === undefined || this.#closed) {
      this.#free(record);
      return;
    }
    group.held.push(record);
    group.timer ??= runtime.setTimer(() => {
      this.#flush(group);
      this.#changed();
    }, intervalMs);
  }

  /** The next record to begin; undefined when none may be begun now. */
  take(): Waiting<Input> | undefined {
    const group = this.#turns.shift();
    const record = group?.ready.shift();
    if (group === undefined || record === undefined) return undefined;
    if (group.ready.size > 0) this.#turns.push(group);
    this.#waiting -= 1;
    return record;
  }

  /** A record that was begun is over with. */
  ended({ group, key }: Waiting<Input>): void {
    group.size -= 1;
    if (group.size === 0) this.#rest(group);
    if (key === undefined) return;
    key.size -= 1;
    key.busy = false;
    const next = key.parked.shift();
    if (next) this.#free(next);
    else if (key.size === 0) this.#keys.delete(key.value);
  }

  /** Nothing more comes: no record waits for an interval any longer. */
  close(): void {
    this.#closed = true;
    for (const group of this.#groups.values()) this.#flush(group);
  }

  /** Gives up what was not begun. */
  stop(): void {
    this.#closed = true;
    for (const group of this.#groups.values()) group.timer?.cancel();
  }

  #flush(group: Group<Input>): void {
    group.timer?.cancel();
    group.timer = undefined;
    const { held } = group;
    group.held = [];
    for (const record of held) this.#free(record);
  }

  /** May be begun, or waits for the one before of its key. */
  #free(record: Waiting<Input>): void {
    const { group, key } = record;
    if (key?.busy) {
      key.parked.push(record);
      return;
    }
    if (key) key.busy = true;
    group.ready.push(record);
    if (group.ready.size === 1) this.#turns.push(group);
  }

  #placed({ input, index }: Numbered<Input>): Waiting<Input> {
    const { groupOf, order } = this.#settings;
    try {
      const value = order?.(input);
      const known = order && this.#keys.get(value);
      // Records of one key are of one group while they are under way: groups go on at different times.
      const group = known?.group ?? this.#group(groupOf(input));
      const key = order && (known ?? { value, group, parked: new Fifo<Waiting<Input>>(), busy: false, size: 0 });
      if (key && !known) this.#keys.set(value, key);
      return { input, index, group, key, broken: undefined };
    } catch (error) {
      return { input, index, group: this.#group(undefined), key: undefined, broken: { error } };
    }
  }

  #group(name: unknown): Group<Input> {
    this.#idle.delete(name);
    const known = this.#groups.get(name);
    if (known) return known;
    const { countersOfGroup, sharedCounters } = this.#settings;
    const group = new Group<Input>(countersOfGroup?.() ?? sharedCounters);
    this.#groups.set(name, group);
    this.#names.set(group, name);
    return group;
  }

  /** Keeps the counters of a group that has no records now, for a while. */
  #rest(group: Group<Input>): void {
    const name = this.#names.get(group);
    this.#idle.add(name);
    const most = this.#settings.countersOfGroup === undefined ? 0 : IDLE_GROUPS;
    for (const oldest of this.#idle) {
      if (this.#idle.size <= most) return;
      this.#idle.delete(oldest);
      this.#groups.delete(oldest);
    }
  }
}
