import type { CoordinationStore } from "@dt/core";
import { Store } from "@dt/core/store";
import type { Host, Network, ServerModel, Timeline } from "@dt-tooling/simulator/hybrid";
import type { Random } from "@dt-tooling/simulator/random";
import { backendOn } from "../../src/backend.ts";
import type { Committed, Driver, Entries, Entry, Lease, Transaction } from "../../src/driver.ts";
import { groupKeys } from "../../src/keys.ts";

interface ModelLease {
  readonly ttlMs: number;
  readonly keys: Set<string>;
  /** Counts renewals, so that an expiry that was overtaken is no expiry. */
  term: number;
}

const DEADLINE_MS = 1_000;

/**
 * etcd as far as the store can see it: keys with revisions, transactions, and leases that end up to 0.6 s after their
 * time to live, on true time. What goes wrong: it does not answer for a while, and a new leader extends every lease.
 */
export class ModelEtcd implements ServerModel {
  readonly #timeline: Timeline;
  readonly #random: Random;
  readonly #keepEmptyMs: number | undefined;
  readonly #data = new Map<string, Entry>();
  readonly #leases = new Map<string, ModelLease>();
  /** Hears the keys of every lease that ends, with their values. */
  onEnd: (keys: ReadonlyMap<string, string>) => void = () => {};
  /**
   * Transactions that put a sign of life without the group's key: removals would not see that somebody has come back.
   */
  signsAlone = 0;
  /** How often the group's aggregates were written. */
  changes = 0;
  #revision = 1;
  #leaseCount = 0;
  #down = false;

  /** @param keepEmptyMs how long the keys of an empty group are kept, if not for a week */
  constructor(timeline: Timeline, random: Random, keepEmptyMs?: number) {
    this.#timeline = timeline;
    this.#keepEmptyMs = keepEmptyMs;
    this.#random = random;
  }

  connect(host: Host, network: Network): CoordinationStore {
    const driver = this.#driver(network);
    const keeps = this.#keepEmptyMs === undefined ? {} : { keepEmptyMs: this.#keepEmptyMs };
    const context = { driver, runtime: host, timeoutMs: DEADLINE_MS, client: host.name, ...keeps };
    const { listen: _, capabilities, ...backend } = backendOn(context, "dt");
    return new Store({ ...backend, capabilities: { ...capabilities, hints: false } });
  }

  disturb(random: Random): void {
    this.#down = true;
    this.#timeline.after(random.between(200, 9_000), () => {
      if (random.chance(0.5)) for (const id of this.#leases.keys()) this.#renew(id);
      this.#down = false;
    });
  }

  heal(): void {
    this.#down = false;
  }

  /** Deletes keys, as somebody does by hand. */
  remove(isWanted: (key: string) => boolean): number {
    const found = [...this.#data.keys()].filter(isWanted);
    for (const key of found) this.#delete(key);
    this.#revision += 1;
    return found.length;
  }

  /** Puts a value, as somebody does by hand. */
  put(key: string, value: string): void {
    this.#revision += 1;
    this.#data.set(key, { key, value, revision: String(this.#revision) });
  }

  /** Every key with its value. */
  get entries(): ReadonlyMap<string, Entry> {
    return this.#data;
  }

  #driver(network: Network): Driver {
    const call = <T>(request: () => T): Promise<T> =>
      network.call(() => {
        if (this.#down) throw new Error("14 UNAVAILABLE: no leader");
        return request();
      }, DEADLINE_MS);
    return {
      read: (keys) => {
        const wanted = [...keys];
        return call(() => this.#read(wanted));
      },
      list: (ranges) => call(() => ranges.map(({ prefix }) => this.#under(prefix))),
      page: (prefix, from, limit) =>
        call(() =>
          this.#under(prefix)
            .map(({ key }) => key)
            .filter((key) => key >= from)
            .slice(0, limit),
        ),
      count: (prefix) => call(() => this.#under(prefix).length),
      commit: (transaction) => {
        const sent = { ...transaction, otherwise: [...transaction.otherwise] };
        return call(() => this.#commit(sent));
      },
      grantLease: (seconds) => call(() => this.#grant(seconds)),
      keepAlive: (id) => call(() => this.#renew(id)),
      watch: () => Promise.reject(new Error("the model has no watch")),
      close: () => {},
    };
  }

  #read(keys: readonly string[]): Entries {
    return new Map(
      keys.flatMap((key) => {
        const entry = this.#data.get(key);
        return entry ? [[key, entry] as const] : [];
      }),
    );
  }

  #under(prefix: string): readonly Entry[] {
    return [...this.#data.values()]
      .filter(({ key }) => key.startsWith(prefix))
      .sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  #commit({ unchanged, puts, deletes, deletesUnder = [], otherwise }: Transaction): Committed {
    for (const [key, revision] of unchanged)
      if ((this.#data.get(key)?.revision ?? "0") !== revision)
        return { done: false, found: this.#read([...otherwise]) };
    const { alive, group } = groupKeys("dt", "g");
    if (puts.some(({ key }) => key.startsWith(alive)) && !puts.some(({ key }) => key === group)) this.signsAlone += 1;
    for (const { lease } of puts)
      if (lease !== undefined && !this.#leases.has(lease)) throw new Error("etcdserver: requested lease not found");
    this.#revision += 1;
    const revision = String(this.#revision);
    if (puts.some(({ key }) => key === group)) this.changes += 1;
    for (const { key, value, lease, keepsLease } of puts) {
      if (!keepsLease) this.#bind(key, lease);
      this.#data.set(key, { key, value, revision });
    }
    for (const key of deletes) this.#delete(key);
    for (const prefix of deletesUnder) for (const { key } of this.#under(prefix)) this.#delete(key);
    return { done: true, revision };
  }

  #bind(key: string, lease: string | undefined): void {
    for (const { keys } of this.#leases.values()) keys.delete(key);
    if (lease !== undefined) this.#leases.get(lease)?.keys.add(key);
  }

  #delete(key: string): void {
    this.#bind(key, undefined);
    this.#data.delete(key);
  }

  #grant(seconds: number): Lease {
    const id = String(++this.#leaseCount);
    const ttlMs = Math.max(2, seconds) * 1_000;
    this.#leases.set(id, { ttlMs, keys: new Set(), term: 0 });
    this.#renew(id);
    return { id, ttlMs };
  }

  #renew(id: string): boolean {
    const lease = this.#leases.get(id);
    if (!lease) return false;
    lease.term += 1;
    const { term } = lease;
    this.#timeline.after(lease.ttlMs + this.#random.between(0, 600), () => {
      if (lease.term !== term || !this.#leases.has(id)) return;
      this.#revision += 1;
      this.#leases.delete(id);
      const ended = [...lease.keys].flatMap((key) => this.#data.get(key) ?? []);
      for (const { key } of ended) this.#data.delete(key);
      this.onEnd(new Map(ended.map(({ key, value }) => [key, value])));
    });
    return true;
  }
}
