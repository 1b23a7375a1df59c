import type { BucketAnswer, BucketHold, BucketLimit, BucketRef, BucketRequest, BucketTake, DtError } from "@dt/core";
import { isDtError } from "@dt/core";
import { bucketName, type LimitRecordRow } from "@dt/core/ledger";
import { VirtualRuntime } from "@dt/core/testing";

/** One operation on buckets, at a time of the store's clock. */
export type BucketOperation =
  | { readonly kind: "take"; readonly clockMs: number; readonly requests: readonly BucketRequest[] }
  | { readonly kind: "reset"; readonly clockMs: number; readonly bucket: BucketRef }
  | { readonly kind: "set"; readonly clockMs: number; readonly bucket: BucketRef; readonly record: LimitRecordRow };

const LIMITS: readonly BucketLimit[] = [
  { max: 5, windowMs: 1_000, burst: 10 },
  { max: 5, windowMs: 1_000, burst: 10, concurrent: 2 },
  { max: 7.3, windowMs: 997.3, burst: 3.7, concurrent: 1 },
  { max: 60, windowMs: 60_000, burst: 1 },
  { max: 100, windowMs: 60_000, burst: 500, concurrent: 1_000 },
  { max: 1e9, windowMs: 1_000, burst: 1e12 },
  { max: 1 / 3, windowMs: 1, burst: 4 },
];

const MOST_UNITS = 1e12;

/** Of requests that may come again. */
const REMEMBERED = 12;

/** What a process knows of one bucket. */
interface Known {
  readonly id: string;
  seq: number;
  spent: number;
  inHand: number;
}

/** What the clients of one bucket know. */
class Clients {
  readonly bucket: BucketRef;
  limit: BucketLimit;
  former: BucketLimit | undefined;
  readonly processes: readonly Known[];
  readonly sent: BucketRequest[] = [];
  readonly slots: string[] = [];
  /** Instants to which something lasts. */
  readonly edgesMs: number[] = [];

  constructor(bucket: BucketRef, limit: BucketLimit) {
    this.bucket = bucket;
    this.limit = limit;
    this.processes = ["p", "q", "r"].map((id) => ({ id, seq: 0, spent: 0, inHand: 0 }));
  }
}

/**
 * A seeded stream of operations that reaches every branch of the arithmetic: units taken at once, ahead and in hand,
 * reports, repeats, slots, hits, limits that change, limits that are stored, and clocks that go back or jump. The
 * answers steer it: what was granted is spent, and the clock goes to the edges that it was told.
 */
export class RandomOperations {
  readonly #runtime: VirtualRuntime;
  readonly #clients: readonly Clients[];
  readonly #everyMs: number;
  /** How often the clock jumps, limits change, and so on. */
  readonly #unrest: number;
  /** The part of requests with `stored`. */
  readonly #stored: number;
  #clockMs: number;
  #revision = 0;
  #ids = 0;

  /**
   * @param seed what the stream is drawn from
   * @param startMs where the clock begins
   * @param name the limit's name
   * @param keepsLimits whether the ledger keeps stored limits: every second seed has some then
   */
  constructor(seed: number, startMs: number, name: string, keepsLimits: boolean) {
    this.#runtime = new VirtualRuntime({ seed });
    this.#clockMs = startMs + Math.floor(this.#runtime.random() * 1e6) / 1_000;
    const limit = this.#pick(...LIMITS);
    this.#everyMs = limit.windowMs / limit.max;
    this.#unrest = this.#pick(0.003, 0.02);
    this.#stored = keepsLimits && seed % 2 === 0 ? this.#pick(0.5, 0.9) : 0;
    const keys = [name, `${name}/ü`].flatMap((own) => ["a", "a/b"].map((key) => ({ name: own, key })));
    this.#clients = keys.map((bucket, i) => new Clients(bucket, i < 3 ? limit : this.#pick(...LIMITS)));
  }

  next(): BucketOperation {
    this.#clockMs += this.#pick(0, 0, 0.137, 0.5, 1, 1, 1.5, 3.001) * this.#everyMs * this.#pick(0.3, 0.3, 1);
    if (this.#chance(this.#unrest)) this.#clockMs += this.#pick(-50_000, 11_000, -3, 0.01, 2.7 * this.#everyMs);
    const clients = this.#pick(...this.#clients);
    const edgeMs = this.#pick(0, ...clients.edgesMs);
    if (edgeMs > this.#clockMs && edgeMs < this.#clockMs + 20_000 && this.#chance(0.1))
      this.#clockMs = this.#pick(edgeMs, edgeMs - 1 / 32, edgeMs - 1 / 8);
    const clockMs = this.#clockMs;
    if (this.#chance(this.#unrest / 2)) return { kind: "reset", clockMs, bucket: clients.bucket };
    if (this.#stored > 0 && this.#chance(0.03))
      return { kind: "set", clockMs, bucket: clients.bucket, record: this.#record() };
    if (this.#chance(this.#unrest)) this.#change(clients);
    const others = Array.from({ length: this.#pick(0, 0, 0, 1, 3) }, () => this.#pick(...this.#clients));
    return { kind: "take", clockMs, requests: [clients, ...others].map((asked) => this.#request(asked)) };
  }

  /** What requests were answered. */
  answered(requests: readonly BucketRequest[], answers: readonly (BucketAnswer | DtError)[]): void {
    for (const [index, request] of requests.entries()) {
      const answer = answers[index] as BucketAnswer | DtError;
      const clients = this.#clients.find(({ bucket }) => bucketName(bucket) === bucketName(request));
      if (!clients || isDtError(answer)) continue;
      const { inHand, waitMs, storeTimeMs, hitsResetMs, resetMs } = answer as BucketAnswer;
      const known = clients.processes.find(({ id }) => id === request.hold?.id);
      if (known) known.inHand = inHand;
      const inMs = this.#pick(waitMs, hitsResetMs, resetMs, request.hold?.forMs ?? 0, request.take?.slot?.forMs ?? 0);
      clients.edgesMs.push(this.#clockMs + inMs);
      if (clients.edgesMs.length > 4) clients.edgesMs.shift();
      if (request.take?.slot && storeTimeMs > 0) clients.slots.push(request.take.slot.id);
      if (clients.slots.length > 4) clients.slots.shift();
    }
  }

  /** Another limit, with or without the one of before. */
  #change(clients: Clients): void {
    const { max, windowMs, burst } = clients.limit;
    clients.former = this.#chance(0.7) ? clients.limit : undefined;
    clients.limit = this.#pick(
      { ...clients.limit, max: Math.max(0.001, Math.min(1e12, max * this.#pick(0.5, 2))) },
      { ...clients.limit, windowMs: Math.max(1, windowMs * this.#pick(0.5, 3)) },
      { ...clients.limit, burst: Math.max(1, Math.min(1e12, burst * this.#pick(0.4, 3))) },
      { max, windowMs, burst, ...(this.#chance(0.5) && { concurrent: this.#pick(1, 2, 5) }) },
    );
  }

  #record(): LimitRecordRow {
    const { max, windowMs, burst, concurrent } = this.#pick(...LIMITS);
    const values = { max, windowMs, burst, ...(concurrent !== undefined && { concurrent }) };
    const isSet = this.#chance(0.7);
    const untilMs = this.#pick(null, this.#clockMs + 700.5, this.#clockMs + 5_000);
    this.#revision += 1;
    return {
      revision: this.#revision,
      values: isSet ? JSON.stringify(values) : null,
      untilMs: isSet ? untilMs : null,
      history: "[]",
    };
  }

  #request(clients: Clients): BucketRequest {
    if (clients.sent.length > 0 && this.#chance(0.06)) return this.#pick(...clients.sent);
    const { bucket, limit, former } = clients;
    if (this.#chance(0.05)) return { ...bucket, hits: this.#hits() };
    const hold = this.#chance(0.65) ? this.#hold(clients) : undefined;
    const stored = this.#chance(this.#stored);
    // Now and then one that has not heard of the change.
    const isOld = former !== undefined && this.#chance(0.2);
    const request: BucketRequest = {
      ...{ ...bucket, limit: isOld ? former : limit },
      ...(former && !isOld && { formerLimit: former }),
      ...(stored && { stored }),
      ...(this.#chance(0.9) && { take: this.#take(isOld ? former : limit, stored, hold !== undefined) }),
      ...(hold && { hold }),
      ...(this.#chance(0.2) && { renew: this.#slots(clients), renewMs: this.#pick(0, 500, 3_000) }),
      ...(this.#chance(0.2) && { release: this.#slots(clients) }),
      ...(this.#chance(0.1) && { hits: this.#hits() }),
    };
    clients.sent.push(request);
    if (clients.sent.length > REMEMBERED) clients.sent.shift();
    return request;
  }

  #take({ burst }: BucketLimit, stored: boolean, holds: boolean): BucketTake {
    const most = Math.floor(burst);
    const cost = Math.min(this.#pick(1, 1, 1, 2, 3, Math.ceil(most / 3), most), most);
    return {
      cost: stored && this.#chance(0.05) ? most + 3 : cost,
      maxWaitMs: holds ? this.#pick(0, 0, this.#everyMs, 10 * this.#everyMs, 1e9) : 0,
      ahead: holds ? this.#pick(0, 0, 1, 5, 1e12) : 0,
      aheadWithinMs: holds ? this.#pick(0, 0, 2.5 * this.#everyMs, 1_000) : 0,
      ...(this.#chance(0.3) && { slot: { id: `s${this.#ids++}`, forMs: this.#pick(0, 300, 2_000, 9_000) } }),
    };
  }

  /** The next report of one process: mostly the truth. */
  #hold(clients: Clients): BucketHold {
    const known = this.#pick(...clients.processes);
    const left = Math.max(0, known.inHand - this.#pick(0, 0, 1, known.inHand, Math.floor(known.inHand / 2)));
    known.spent += known.inHand - left + (this.#chance(0.02) ? 3 : 0);
    known.seq += this.#pick(1, 1, 1, 2);
    return {
      ...{ id: known.id, seq: known.seq, spent: this.#chance(0.02) ? 0 : known.spent },
      keep: Math.min(MOST_UNITS, this.#pick(left, left, left, 0, Math.floor(left / 2), left + 1)),
      forMs: this.#pick(0, 100, 2_000, 2_000, 9_000.5, 4 * this.#everyMs),
    };
  }

  #slots({ slots }: Clients): readonly string[] {
    return [this.#pick("nobody's", ...slots), ...(this.#chance(0.3) ? slots : [])];
  }

  #hits(): { readonly windowMs: number; readonly by: number } {
    return { windowMs: this.#pick(1, 700.5, 5_000, 60_000), by: this.#pick(1, 1, 1, 5, 0, -1, -7) };
  }

  #chance(probability: number): boolean {
    return this.#runtime.random() < probability;
  }

  #pick<T>(...values: readonly T[]): T {
    return values[Math.floor(this.#runtime.random() * values.length)] as T;
  }
}
