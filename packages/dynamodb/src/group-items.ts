import { checkTag, DamagedData, decodeHead, encodeHead, type Head, type StoredHead, TAG } from "@dt/cas";
import type { Activity } from "@dt/core";
import { checkRow, type RowFormat } from "@dt/core/ledger";
import type { Condition, Driver, Item } from "./driver.ts";
import type { GroupKeys } from "./keys.ts";

/** The ledger as it is stored. */
export interface StoredLedger {
  readonly text: string;
  /** Grows by one with every change. */
  readonly version: number;
  /**
   * Who wrote it, and in which attempt: tells a client that its own write has taken effect when the answer was lost.
   */
  readonly writer: string;
}

/** What tells a head from others: the version of the ledger it was written after, and the time in it. */
export interface HeadRevision {
  readonly version: number;
  readonly timeMs: number;
}

/** A member's sign of life: the number of its last request and the group time it was sent at, by its own idea of it. */
export interface Beat {
  readonly incarnation: string;
  readonly seq: number;
  /** 0 when the sender did not know the group's time yet. */
  readonly timeMs: number;
  /**
   * The member's stale age; 0 when the sender does not know it. Should the ledger be lost, shares may be in use for
   * that long.
   */
  readonly staleAfterMs: number;
  /**
   * True once an observer has found it silent for longer than its stale age: from then on it may be removed, and must
   * come back first.
   */
  readonly gone: boolean;
  /** What the member does (R27); null where it says nothing. */
  readonly activity: Activity | null;
}

/** How a heartbeat ended. `overtaken`: a newer one was there already. */
export type BeatOutcome = "alive" | "gone" | "missing" | "overtaken";

const BEAT: RowFormat<Pick<Beat, "seq" | "timeMs" | "staleAfterMs">> = {
  version: 1,
  fields: [
    ["seq", "count"],
    ["timeMs", "time"],
    ["staleAfterMs", "time"],
  ],
};

const ACTIVITY: RowFormat<Activity> = {
  version: 1,
  fields: [
    ["used", "tokens"],
    ["waiting", "tokens"],
  ],
};

const DAY_MS = 86_400_000;
/**
 * How long an empty group is kept after nothing in it counts any more, and how long the last heartbeat of a dead
 * member.
 */
const KEEP_EMPTY_MS = 7 * DAY_MS;
const KEEP_BEAT_MS = DAY_MS;

/** The items of one group, each with its own conditions. */
export class GroupItems {
  readonly #driver: Driver;
  readonly #keys: GroupKeys;

  constructor(driver: Driver, keys: GroupKeys) {
    this.#driver = driver;
    this.#keys = keys;
  }

  /** What holds the ledger, for messages. */
  get ledgerName(): string {
    return `DynamoDB item ${this.#keys.ledger.pk} / ledger`;
  }

  /** @throws DtError `DT_STORE_DATA` */
  async readLedger(): Promise<StoredLedger | undefined> {
    const item = await this.#driver.get(this.#keys.ledger);
    return item && this.toLedger(item);
  }

  /** The item as it is, whatever it holds. */
  readRawLedger(): Promise<Item | undefined> {
    return this.#driver.get(this.#keys.ledger);
  }

  /** @throws DtError `DT_STORE_DATA` */
  toLedger({ text, version, writer, v: tag }: Item): StoredLedger {
    checkTag(tag, this.ledgerName);
    if (typeof text !== "string" || typeof writer !== "string" || !isCount(version))
      throw new DamagedData(this.ledgerName, "no ledger");
    return { text, version, writer };
  }

  /**
   * Puts a ledger without members in the place of an item that was read, whatever that holds; false when there is
   * another one now.
   * @param emptyForMs as for {@link writeLedger}
   */
  replaceLedger(ledger: StoredLedger, seen: Item | undefined, emptyForMs: number): Promise<boolean> {
    const item = { ...this.#keys.ledger, ...ledger, v: TAG, ...this.#expiry(emptyForMs) };
    return this.#driver.put(item, sameAs(seen, ["text", "version", "writer"]));
  }

  /**
   * Writes the ledger in exchange for a version of it, or for none; false when another one is there.
   * @param emptyForMs how long a group without members is to be remembered at least; undefined for one with members
   */
  writeLedger(ledger: StoredLedger, from: number | undefined, emptyForMs: number | undefined): Promise<boolean> {
    const item = { ...this.#keys.ledger, ...ledger, v: TAG, ...this.#expiry(emptyForMs) };
    return this.#driver.put(item, { version: from === undefined ? { exists: false } : { equals: from } });
  }

  /** @throws DtError `DT_STORE_DATA` */
  async readHead(): Promise<StoredHead<HeadRevision> | undefined> {
    const item = await this.#driver.get(this.#keys.head);
    return item && this.toHead(item);
  }

  /** The item as it is, whatever it holds. */
  readRawHead(): Promise<Item | undefined> {
    return this.#driver.get(this.#keys.head);
  }

  /** @throws DtError `DT_STORE_DATA` */
  toHead(item: Item): StoredHead<HeadRevision> {
    const where = `DynamoDB item ${this.#keys.head.pk} / head`;
    const head = decodeHead(item, where);
    const { version } = item;
    if (!isCount(version)) throw new DamagedData(where, "no head of a group");
    return { head, revision: { version, timeMs: head.timeMs } };
  }

  /** Puts a head in the place of an item that was read, whatever that holds; false when there is another one now. */
  overwriteHead(head: Head, version: number, seen: Item | undefined): Promise<boolean> {
    return this.#driver.put(this.#head(head, version), sameAs(seen, ["version", "timeMs"]));
  }

  /** Writes the head that goes with a version of the ledger, unless one of a newer version is there. */
  writeHead(head: Head, version: number, emptyForMs: number | undefined): Promise<boolean> {
    return this.#driver.put(this.#head(head, version, emptyForMs), { version: { below: version, orAbsent: true } });
  }

  /** Writes the time in a head anew; false when another one is there. */
  replaceHead({ version, timeMs }: HeadRevision, head: Head): Promise<boolean> {
    return this.#driver.put(this.#head(head, version), { version: { equals: version }, timeMs: { equals: timeMs } });
  }

  /** A heartbeat of a member that has a sign of life. */
  async beat(beat: Omit<Beat, "gone">): Promise<BeatOutcome> {
    const put = await this.#driver.put(this.#beat(beat), { seq: { below: beat.seq }, gone: { exists: false } });
    return put ? "alive" : this.#whyNot(beat.incarnation, beat.seq);
  }

  /** Gives a member a sign of life, whether it has one or not, unless a newer one is there. */
  async begin(beat: Omit<Beat, "gone">): Promise<BeatOutcome> {
    const put = await this.#driver.put(this.#beat(beat), { seq: { below: beat.seq, orAbsent: true } });
    return put ? "alive" : this.#whyNot(beat.incarnation, beat.seq);
  }

  async listBeats(): Promise<readonly Beat[]> {
    const items = await this.#driver.query(this.#keys.beats);
    return items.flatMap((item) => this.#soundBeat(item) ?? []);
  }

  /** Says that a member is gone, if it has not sent anything since; false when it has. */
  fence(beat: Beat): Promise<boolean> {
    return this.#driver.put({ ...this.#beat(beat), gone: true }, { seq: { equals: beat.seq } });
  }

  /** Takes a sign of life away: of a member that is gone, or with this number, or whatever it is. */
  forget(incarnation: string, only: "gone" | number | undefined): Promise<boolean> {
    const condition =
      only === undefined ? {} : only === "gone" ? { gone: { equals: true } } : { seq: { equals: only } };
    return this.#driver.delete(this.#keys.beatOf(incarnation), condition as Parameters<Driver["delete"]>[1]);
  }

  async #whyNot(incarnation: string, seq: number): Promise<BeatOutcome> {
    const item = await this.#driver.get(this.#keys.beatOf(incarnation));
    if (!item) return "missing";
    const beat = this.#soundBeat(item);
    if (!beat) return "missing";
    if (beat.gone) return "gone";
    // The same number: it was this request, whose answer the client did not get and which it sent again.
    return beat.seq === seq ? "alive" : "overtaken";
  }

  /**
   * A head; that of a group without members is garbage one day, also when only the time in it is written anew. Without
   * the ledger, the levels remembered there are not known: it may go before them.
   */
  #head(
    head: Head,
    version: number,
    emptyForMs = head.memberCount === 0 ? head.staleAfterMs : undefined,
  ): ReturnType<GroupKeys["beatOf"]> & Item {
    return { ...this.#keys.head, ...encodeHead(head), version, ...this.#expiry(emptyForMs) };
  }

  #beat(beat: Omit<Beat, "gone">): ReturnType<GroupKeys["beatOf"]> & Item {
    const { incarnation, seq, timeMs, staleAfterMs, activity } = beat;
    return {
      ...this.#keys.beatOf(incarnation),
      v: TAG,
      seq,
      timeMs,
      staleAfterMs,
      ...(activity && { used: activity.used, waiting: activity.waiting }),
      ...this.#expiry(undefined, KEEP_BEAT_MS),
    };
  }

  /**
   * A heartbeat; undefined when it is damaged. It is then deleted, so that its member is asked to come back by the
   * ledger, as one that was never heard of.
   */
  #soundBeat(item: Item): Beat | undefined {
    try {
      return this.toBeat(item);
    } catch (error) {
      if (!(error instanceof DamagedData)) throw error;
      const { pk, sk } = item;
      this.#driver.delete({ pk: String(pk), sk: String(sk) }, sameAs(item, ["seq", "timeMs"])).catch(() => false);
      return undefined;
    }
  }

  /** @throws DtError `DT_STORE_DATA` */
  toBeat(item: Item): Beat {
    const { pk, sk, v: tag, gone, used, waiting } = item;
    const where = `DynamoDB item ${pk} / ${sk}`;
    checkTag(tag, where);
    const isSilent = used === undefined && waiting === undefined;
    const activity = isSilent ? null : checkRow(ACTIVITY, item, where);
    return { incarnation: String(sk), ...checkRow(BEAT, item, where), gone: gone === true, activity };
  }

  /** When the item is garbage, if it ever is: DynamoDB deletes it some days later where time to live is on. */
  #expiry(emptyForMs: number | undefined, inMs?: number): Item {
    const afterMs = inMs ?? (emptyForMs === undefined ? undefined : KEEP_EMPTY_MS + emptyForMs);
    const expires = afterMs === undefined ? undefined : this.#driver.secondIn(afterMs);
    return expires === undefined ? {} : { expires };
  }
}

/** The condition that an item still has the attributes that it had, as far as the store reads them. */
function sameAs(item: Item | undefined, attributes: readonly string[]): Condition {
  return Object.fromEntries(
    attributes.map((name) => {
      const value = item?.[name];
      return [name, value === undefined ? { exists: false } : { equals: value }];
    }),
  );
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
