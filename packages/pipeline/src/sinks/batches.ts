import { DtError, type Duration, type Runtime, type Timer } from "@dt/core";
import { checkDuration, checkInteger } from "@dt/core/internal";

/** How items are gathered and sent. */
export interface BatchSettings<Item> {
  /** Sends the items of one batch, in order. Never called again before it has settled. */
  send(items: readonly Item[]): Promise<void>;
  /** The most items in a batch, and the most bytes; a batch has at least one item. */
  readonly most: number;
  readonly mostBytes: number;
  /** How long an item waits for others; 0: only while another batch is under way. */
  readonly lingerMs: number;
  readonly runtime: Runtime;
}

/**
 * Gathers items into batches and sends one batch at a time. While one is under way and the next one is full, whoever
 * adds to it waits: memory holds two batches, and one item of each caller. The first failure is the end: what follows
 * might otherwise arrive without what came before.
 */
export class Batches<Item> {
  readonly #settings: BatchSettings<Item>;
  #items: Item[] = [];
  #bytes = 0;
  #added = 0;
  #settled = 0;
  #sending: Promise<void> | undefined;
  #timer: Timer | undefined;
  #failure: { readonly error: unknown } | undefined;
  #closed = false;

  constructor(settings: BatchSettings<Item>) {
    this.#settings = settings;
  }

  /** Resolves when there is room for the next item. @throws what a batch failed with, or DtError `DT_STORE_CLOSED` */
  async add(item: Item, bytes: number): Promise<void> {
    this.#refuse();
    if (this.#closed) throw new DtError("DT_STORE_CLOSED", "the sink is closed; make a new one");
    this.#items.push(item);
    this.#bytes += bytes;
    this.#added += 1;
    const { lingerMs, runtime } = this.#settings;
    if (!this.#isFull() && lingerMs > 0) this.#timer ??= runtime.setTimer(() => this.#send(), lingerMs);
    else if (this.#sending === undefined) this.#send();
    while (this.#sending !== undefined && this.#isFull()) await this.#sending;
    this.#refuse();
  }

  /** Resolves when everything that was added before has been sent. @throws what a batch failed with */
  async flush(): Promise<void> {
    const upTo = this.#added;
    while (this.#settled < upTo) {
      this.#refuse();
      if (this.#sending === undefined) this.#send();
      await this.#sending;
    }
    this.#refuse();
  }

  /** Sends the rest; nothing can be added any more. @throws what a batch failed with */
  async close(): Promise<void> {
    this.#closed = true;
    await this.flush();
  }

  #isFull(): boolean {
    return this.#items.length >= this.#settings.most || this.#bytes >= this.#settings.mostBytes;
  }

  #refuse(): void {
    if (this.#failure) throw this.#failure.error;
  }

  /** Begins to send what there is, and goes on with what becomes full meanwhile; never rejects. */
  #send(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    if (this.#sending !== undefined || this.#items.length === 0) return;
    const items = this.#items;
    [this.#items, this.#bytes] = [[], 0];
    this.#sending = this.#attempt(items);
  }

  async #attempt(items: readonly Item[]): Promise<void> {
    try {
      await this.#settings.send(items);
    } catch (error) {
      this.#failure = { error };
      [this.#items, this.#bytes] = [[], 0];
    }
    this.#settled += items.length;
    this.#sending = undefined;
    // Without a timer the rest has waited long enough.
    if (this.#timer === undefined || this.#isFull()) this.#send();
  }
}

/** How a sink gathers what it sends to a server. */
export interface BatchOptions {
  /** The most endings that are sent together. Default 100. */
  readonly batch?: number;
  /** How long an ending waits for others. Default `"50ms"`. */
  readonly linger?: Duration;
}

export const BATCH_OPTIONS: readonly (keyof BatchOptions)[] = ["batch", "linger"];

/**
 * A batch is not larger than this, unless a single ending is: so much is in memory twice, and on its way to the server
 * at once.
 */
const MOST_BYTES = 2 ** 20;

/** @throws DtError `DT_INVALID_OPTION` */
export function checkBatch({ batch = 100, linger = "50ms" }: BatchOptions): {
  most: number;
  mostBytes: number;
  lingerMs: number;
} {
  const most = checkInteger("batch", batch, 1, 10_000);
  return { most, mostBytes: MOST_BYTES, lingerMs: checkDuration("linger", linger, 0) };
}
