import {
  type BucketAnswer,
  type BucketHold,
  type BucketLimit,
  type BucketRef,
  type BucketRequest,
  type BucketSnapshot,
  type BucketTake,
  type DtError,
  isDtError,
  type LimitTarget,
} from "@dt/core";
import { inspectBucket, type LimitRecordHead } from "@dt/core/ledger";
import type { Fail } from "../member.ts";
import { OneAtATime } from "../one-at-a-time.ts";
import type { Rule } from "../rules.ts";
import type { BucketStore } from "./bucket-store.ts";
import { PlainBucketTable } from "./plain-bucket-table.ts";
import { printBucketAnswer } from "./print-answer.ts";
import { followTake } from "./specification.ts";

/** What a request asks for besides its cost, and the rest of it. */
export interface Asked extends Partial<Omit<BucketTake, "cost">>, Partial<Omit<BucketRequest, "take">> {}

/**
 * One bucket as a case uses it, one call after the other: every answer must be the one that core's arithmetic gives at
 * the store's time. The first difference fails the case, by the rule that the case is about.
 */
export class Bucket {
  readonly ref: BucketRef;
  readonly limit: BucketLimit;
  readonly #store: BucketStore;
  readonly #fail: Fail;
  readonly #rule: Rule;
  readonly #table = new PlainBucketTable();
  readonly #oneAtATime = new OneAtATime();
  #head: LimitRecordHead | undefined;

  constructor(store: BucketStore, ref: BucketRef, limit: BucketLimit, rule: Rule, fail: Fail) {
    this.#store = store;
    this.ref = ref;
    this.limit = limit;
    this.#rule = rule;
    this.#fail = fail;
  }

  /** A request of this bucket that takes a cost; none where that is 0. */
  request(cost: number, asked: Asked = {}): BucketRequest {
    const { maxWaitMs = 0, ahead = 0, aheadWithinMs = 0, slot, ...others } = asked;
    const take = { cost, maxWaitMs, ahead, aheadWithinMs, ...(slot && { slot }) };
    return { ...this.ref, limit: this.limit, ...(cost > 0 && { take }), ...others };
  }

  /** What a process holds: its next report. All that it has stays in hand unless it is said otherwise. */
  hold(seq: number, changes: Partial<BucketHold> = {}): { readonly hold: BucketHold } {
    return { hold: { id: "p", seq, spent: 0, keep: 1e9, forMs: 60_000, ...changes } };
  }

  /** Sends requests of this bucket in one call. */
  async send(requests: readonly BucketRequest[], store: Pick<BucketStore, "take"> = this.#store): Promise<void> {
    this.follow(requests, await this.#oneAtATime.ask(() => store.take(requests)));
  }

  /** Asks for a cost, whatever the answer. */
  async ask(cost: number, asked: Asked = {}, store: Pick<BucketStore, "take"> = this.#store): Promise<BucketAnswer> {
    const request = this.request(cost, asked);
    const answers = await this.#oneAtATime.ask(() => store.take([request]));
    this.follow([request], answers);
    return answers[0] as BucketAnswer;
  }

  /** Asks for a cost and must be granted it. */
  async take(cost: number, asked: Asked = {}, store?: Pick<BucketStore, "take">): Promise<BucketAnswer> {
    const answer = await this.ask(cost, asked, store);
    if (answer.granted < cost) this.#fail(this.#rule, `a cost of ${cost} is refused: ${printBucketAnswer(answer)}`);
    return answer;
  }

  /** Asks for a cost and must be refused. */
  async refused(cost: number, asked: Asked, why: string, store?: Pick<BucketStore, "take">): Promise<BucketAnswer> {
    const answer = await this.ask(cost, asked, store);
    if (answer.granted > 0) this.#fail(this.#rule, `a cost of ${cost} is granted although ${why}`);
    return answer;
  }

  /** Asks for nothing. */
  look(store?: Pick<BucketStore, "take">): Promise<BucketAnswer> {
    return this.ask(0, {}, store);
  }

  /** The request must be refused with an error that is its own answer. */
  async refusedWith(code: DtError["code"], request: BucketRequest, store = this.#store): Promise<DtError> {
    const [answer] = await store.take([request]);
    return this.isRefused(code, answer);
  }

  /** That an answer is an error of this request alone. */
  isRefused(code: DtError["code"], answer: BucketAnswer | DtError | undefined): DtError {
    if (isDtError(answer, code)) return answer;
    const shown = isDtError(answer) ? answer.code : answer ? printBucketAnswer(answer as BucketAnswer) : "nothing";
    return this.#fail(this.#rule, `a request that must be refused with ${code} was answered ${shown}`);
  }

  /** Checks what requests of this bucket were answered, in their order. */
  follow(requests: readonly BucketRequest[], answers: readonly (BucketAnswer | DtError | undefined)[]): void {
    for (const [index, request] of requests.entries()) {
      const answer = answers[index];
      if (answer === undefined || isDtError(answer))
        this.#fail(this.#rule, `take answered ${answer ? `${answer.code}: ${answer.message}` : "nothing"}`);
      const given = answer as BucketAnswer;
      const followed = followTake(this.#table, request, given, this.#head);
      if ("expected" in followed)
        this.#fail(
          this.#rule,
          `take of a bucket\n  expected: ${followed.expected}\n  received: ${printBucketAnswer(given)}`,
        );
      this.#table.become(followed.after);
    }
  }

  /** Units that may be spent now must be so many, but for what came back meanwhile. */
  async remains(least: number, when: string): Promise<void> {
    const { remaining } = await this.look();
    if (!(remaining >= least && remaining < least + 1))
      this.#fail(this.#rule, `units left ${when}\n  expected: ${least}\n  received: ${remaining}`);
  }

  /** Sets the stored limit, or removes it. */
  async setLimit(store: Required<Pick<BucketStore, "setLimit">>, limit: BucketLimit | undefined): Promise<void> {
    const target: LimitTarget = { kind: "keyed", ...this.ref };
    const { revision } = await store.setLimit(target, { values: limit && { ...limit }, by: "conformance" });
    this.#head = { revision, values: limit ? JSON.stringify(limit) : null, untilMs: null };
  }

  /** Resets the bucket (K12). */
  async reset(store: Required<Pick<BucketStore, "resetBucket">>): Promise<void> {
    await store.resetBucket(this.ref);
    this.#table.forget();
  }

  /** What the store says that the bucket holds, which must be what the requests so far have left there (K13). */
  async inspect(store: Required<Pick<BucketStore, "inspectBucket">>): Promise<BucketSnapshot> {
    const snapshot = await store.inspectBucket(this.ref);
    if (snapshot === undefined) return this.#fail(this.#rule, "inspectBucket knows nothing of a bucket in use");
    const right = inspectBucket(this.#table.clone(), this.ref, snapshot.storeTimeMs);
    if (inOrder(snapshot) !== inOrder(right ?? {}))
      this.#fail(
        this.#rule,
        `inspectBucket of a bucket\n  expected: ${inOrder(right ?? {})}\n  received: ${inOrder(snapshot)}`,
      );
    return snapshot;
  }
}

/** A snapshot as text that is the same whatever the order of its fields. */
function inOrder(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
