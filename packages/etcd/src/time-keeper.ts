import type { Runtime } from "@dt/core";
import type { HybridClock } from "@dt/core/ledger";
import type { Driver, Entry } from "./driver.ts";
import { decodeHead, encodeHead, type Head, keeperLimitMs, lagLimitMs } from "./head.ts";
import { HeadHistory } from "./head-history.ts";
import type { GroupKeys } from "./keys.ts";

/** Reading a head that is too old, and writing it anew, is tried so often; each failure means that somebody else wrote it. */
const ATTEMPTS = 5;

/**
 * Reads a group's head and sees to it that the time in it stays fresh: whoever is about to answer with a group time that is too far ahead
 * of the recorded one records it first. In steady state one client, the keeper, does so for all, with the request that is its heartbeat's.
 */
export class TimeKeeper {
  /** When which recorded time was read. */
  readonly history = new HeadHistory();
  readonly #driver: Driver;
  readonly #keys: GroupKeys;
  readonly #clock: HybridClock;
  readonly #runtime: Runtime;
  readonly #name: string;
  #seen: { readonly head: Head; readonly revision: string } | undefined;

  /** @param name tells this client from all others */
  constructor(driver: Driver, keys: GroupKeys, clock: HybridClock, runtime: Runtime, name: string) {
    this.#driver = driver;
    this.#keys = keys;
    this.#clock = clock;
    this.#runtime = runtime;
    this.#name = name;
  }

  /** The newest head that was seen. */
  get head(): Head | undefined {
    return this.#seen?.head;
  }

  /** True when this client keeps the time and looks for dead members. */
  get isKeeper(): boolean {
    return this.#seen?.head.keeper === this.#name;
  }

  /** Reads the head, which is fresh afterwards; undefined when the group does not exist. One round trip, unless the time in it was neglected. */
  async read(): Promise<Head | undefined> {
    const seen = this.#seen;
    const due = seen && this.isKeeper && this.#lagMs(seen.head) >= lagLimitMs(seen.head) / 2;
    if (due) await this.#refresh(seen);
    else this.take((await this.#driver.read([this.#keys.head])).get(this.#keys.head));
    for (let attempt = 0; this.#seen && this.isNeglected(this.#seen.head) && attempt < ATTEMPTS; attempt++)
      await this.#refresh(this.#seen);
    return this.#seen?.head;
  }

  /** Takes in a head that was read. */
  take(entry: Entry | undefined): Head | undefined {
    this.#seen = entry && { head: decodeHead(entry.key, entry.value), revision: entry.revision };
    if (this.#seen) this.#note(this.#seen.head);
    return this.#seen?.head;
  }

  /** Takes in a head that was written. */
  wrote(head: Head, revision: string): void {
    this.#seen = { head, revision };
    this.#note(head);
  }

  /** True when the time in the head is too old to answer with the time that it is now, or nobody keeps it. */
  isNeglected(head: Head): boolean {
    return this.#lagMs(head) > lagLimitMs(head) || this.#keeperIsGone(head);
  }

  /** The head with the time that it is now, kept by this client if it is the keeper or there is none. */
  renewed(head: Omit<Head, "timeMs">): Head {
    const timeMs = this.#clock.now();
    const keeps = head.keeper === this.#name || this.#keeperIsGone(head);
    return { ...head, timeMs, ...(keeps && { keeper: this.#name, keptMs: timeMs }) };
  }

  async #refresh(seen: { readonly head: Head; readonly revision: string }): Promise<void> {
    const { head: key } = this.#keys;
    const head = this.renewed(seen.head);
    const outcome = await this.#driver.commit({
      unchanged: new Map([[key, seen.revision]]),
      puts: [{ key, value: encodeHead(head) }],
      deletes: [],
      otherwise: [key],
    });
    if (outcome.done) this.wrote(head, outcome.revision);
    else this.take(outcome.found.get(key));
  }

  #note(head: Head): void {
    this.#clock.observe(head.timeMs);
    this.history.note(this.#runtime.now(), head.timeMs);
  }

  #lagMs(head: Head): number {
    return this.#clock.now() - head.timeMs;
  }

  #keeperIsGone(head: Pick<Head, "keeper" | "keptMs" | "quietLimitMs">): boolean {
    return head.keeper === "" || this.#clock.now() - head.keptMs > keeperLimitMs(head);
  }
}
