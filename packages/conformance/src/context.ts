import { type CoordinationStore, isDtError, type MemberView, type Runtime, randomId, type Timer } from "@dt/core";
import { ConformanceFailure } from "./failure.ts";
import type { HistoryEntry } from "./history.ts";
import type { GroupFloor, Violation } from "./invariants.ts";
import { Member, type MemberOptions } from "./member.ts";
import type { IssuedPermits } from "./permits/issued-permits.ts";
import { type PermitDefaults, PermitKey } from "./permits/permit-key.ts";
import type { PermitStore } from "./permits/permit-store.ts";
import { RecordedStore, type Recorder } from "./recorded-store.ts";
import type { Rule } from "./rules.ts";
import { SkippedCase } from "./skipped-case.ts";
import type { StoreTarget } from "./target.ts";

/** A stale age that no case waits for. */
export const LONG_MS = 60_000;
/** A stale age that cases wait for. */
export const SHORT_MS = 500;
/** The most a case waits for something that must happen. */
const PATIENCE_MS = 10_000;
/** The most a case takes, whatever it waits for: a broken store must not make it wait for ever. */
const CASE_LIMIT_MS = 100_000;
/** An interval of permits that no case waits for. */
const LONG_EVERY_MS = 10_000;
/** Making a store may start or wait for something; one that takes this long hangs. */
const CREATE_LIMIT_MS = 30_000;
/** Adapters settle in about a second; a call that takes this long does not settle. */
const CALL_LIMIT_MS = 5_000;
const LIMIT_STEPS = 10;
const WARM_UP_ATTEMPTS = 5;

/** What the contract allows for a hybrid clock. */
const HYBRID_CLOCK_ERROR_MS = 2_000;

/** What a case works with: recorded stores, members, time, and checks that name the rule. */
export class CaseContext {
  readonly target: StoreTarget;
  readonly rule: Rule;
  /** A number in [0, 1) from the seed and the case's name. */
  readonly random: () => number;
  readonly history: HistoryEntry[] = [];
  readonly #runtime: Runtime;
  readonly #scale: number;
  readonly #startMs: number;
  readonly #opened: CoordinationStore[] = [];
  readonly #prefix: string;
  readonly #recorder: Recorder;
  #groups = 0;
  #members = 0;
  #first: CoordinationStore | undefined;
  #violation: ConformanceFailure | undefined;

  constructor(target: StoreTarget, rule: Rule, runtime: Runtime, random: () => number) {
    this.target = target;
    this.rule = rule;
    this.random = random;
    this.#runtime = runtime;
    this.#scale = target.timeScale ?? 1;
    this.#startMs = runtime.now();
    // Not from the seed: two runs on one server must not meet in a group.
    this.#prefix = `conformance-${randomId(runtime)}`;
    this.#recorder = {
      now: () => this.now(),
      history: this.history,
      floors: new Map<string, GroupFloor>(),
      permits: new Map<string, IssuedPermits>(),
      clockErrorMs: this.clockErrorMs,
      guard: (what, call) => this.#guard(what, call),
      violated: (violation) => this.#violated(violation),
    };
  }

  /** How far what two clients are answered at one instant may lie apart (R2). */
  get clockErrorMs(): number {
    return this.target.capabilities.clock === "hybrid" ? HYBRID_CLOCK_ERROR_MS : 0;
  }

  /** Milliseconds since the case began. */
  now(): number {
    return this.#runtime.now() - this.#startMs;
  }

  /** A time of the suite, on the target's scale. */
  ms(ms: number): number {
    return ms * this.#scale;
  }

  sleep(ms: number): Promise<void> {
    if (this.now() > this.ms(CASE_LIMIT_MS))
      this.fail(`what the case waits for has not happened after ${this.ms(CASE_LIMIT_MS)} ms`);
    return new Promise((resolve) => this.#runtime.setTimer(resolve, ms));
  }

  /** The case's first store. */
  async store(): Promise<CoordinationStore> {
    this.#first ??= await this.openStore();
    return this.#first;
  }

  /** Another client of the same data; the same store again when the target's stores share nothing. */
  async client(): Promise<CoordinationStore> {
    return this.target.sharesData === false ? this.store() : this.openStore();
  }

  /** A store of its own, which the case may close, connected and ready unless the case wants it untouched. */
  async openStore(
    create = () => this.target.createStore(),
    options: { readonly untouched?: boolean } = {},
  ): Promise<CoordinationStore> {
    const store = await this.#create(create);
    this.#opened.push(store);
    if (!options.untouched) await this.#warmUp(store);
    return new RecordedStore(store, this.#opened.length, this.#recorder);
  }

  /** A store as the target makes it, which nothing records: for cases about what recording hides. */
  async bareStore(): Promise<CoordinationStore> {
    const store = await this.#create(() => this.target.createStore());
    this.#opened.push(store);
    return store;
  }

  /**
   * The store as a permit ledger.
   * @throws SkippedCase when it is none, unless the target says that it is
   */
  permits(store: CoordinationStore): PermitStore {
    const recorded = store as RecordedStore;
    const missing = (["reserve", "release"] as const).find((name) => !recorded.hasPermitMethod(name));
    if (missing === undefined) return recorded;
    if (this.target.permits === true)
      this.fail(`the target says that it keeps permits, and the store has no ${missing}()`);
    throw new SkippedCase(`the store keeps no permits (it has no ${missing}())`);
  }

  /**
   * The store as one that tells of freed instants.
   * @throws SkippedCase when it does not
   */
  watchesPermits(store: PermitStore): PermitStore & Required<Pick<PermitStore, "watchPermits">> {
    if (!(store as RecordedStore).hasPermitMethod("watchPermits"))
      throw new SkippedCase("the store does not tell of freed permits (it has no watchPermits())");
    return store as RecordedStore;
  }

  /** The case's first store as a permit ledger. */
  async permitStore(): Promise<PermitStore> {
    return this.permits(await this.store());
  }

  /** Another client of the same permits; the same store again when the target's stores share nothing. */
  async permitClient(): Promise<PermitStore> {
    return this.permits(await this.client());
  }

  /** A key that nobody has used, with intervals so long that no instant comes while the case runs unless it says otherwise. */
  async permitKey(defaults: Partial<PermitDefaults> = {}, name = this.group()): Promise<PermitKey> {
    const all = {
      count: 1,
      cost: 1,
      everyMs: this.ms(LONG_EVERY_MS),
      burst: 1,
      maxReserved: 50,
      keepMs: this.ms(LONG_MS),
      queueMs: 0,
      ...defaults,
    };
    return new PermitKey(await this.permitStore(), name, all, this.rule, (rule, summary) => this.fail(summary, rule));
  }

  /** A group name that nobody has used. */
  group(): string {
    this.#groups += 1;
    return `${this.#prefix}-${this.#groups}`;
  }

  /** A member that has not registered yet. */
  member(store: CoordinationStore, group: string, options: MemberOptions = {}): Member {
    this.#members += 1;
    const { id = `m${this.#members}`, incarnation = `${id.slice(0, 60)}-boot-${this.#members}`, ...rest } = options;
    const defaults = {
      max: 100,
      intervalMs: 1_000,
      staleAfterMs: this.ms(LONG_MS),
      learningMs: 0,
      level: null,
      resumeWithinMs: 0,
    };
    return new Member(store, group, { id, incarnation }, { ...defaults, ...rest }, (rule, summary) =>
      this.fail(summary, rule),
    );
  }

  /** Syncs the members in turn until all are answered `agree`: at most three rounds, since each only has to hear, adopt and learn. */
  async agree(...members: readonly Member[]): Promise<MemberView[]> {
    for (let round = 0; ; round++) {
      const views: MemberView[] = [];
      for (const member of members) views.push(await member.beat());
      if (views.every((view) => view.status === "agree")) return views;
      if (round === 3)
        this.fail(
          `${members.length} members that all adopt what they are told do not agree after ${round} rounds`,
          "R9",
        );
    }
  }

  /**
   * Repeats `attempt` every few milliseconds until it answers something other than undefined; fails with `otherwise` when it does not for
   * a long time, and often: on a machine that stood still for that time, nothing was tried.
   */
  async until<T>(attempt: () => Promise<T | undefined>, otherwise: string, everyMs = 10): Promise<T> {
    const startMs = this.now();
    const deadlineMs = startMs + this.ms(PATIENCE_MS);
    const leastAttempts = Math.min(50, PATIENCE_MS / everyMs / 10);
    for (let attempts = 1; ; attempts++) {
      const result = await attempt();
      if (result !== undefined) return result;
      const waitedMs = Math.round(this.now() - startMs);
      if (this.now() >= deadlineMs && attempts >= leastAttempts)
        this.fail(`${otherwise} (tried ${attempts} times in ${waitedMs} ms)`);
      await this.sleep(this.ms(everyMs));
    }
  }

  /** What the call settles to; fails as a breach of R16 when it does not settle within the limit. */
  within<T>(what: string, limitMs: number, call: Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      let ticks = 0;
      let timer: Timer;
      // In steps, since a machine that stands still for a while must not use up the whole limit at once.
      const wait = (): void => {
        timer = this.#runtime.setTimer(() => {
          ticks += 1;
          if (ticks < LIMIT_STEPS) wait();
          else reject(this.#violated({ rule: "R16", summary: `${what} did not settle within ${limitMs} ms` }));
        }, limitMs / LIMIT_STEPS);
      };
      wait();
      call.then(resolve, reject).finally(() => timer.cancel());
    });
  }

  /** Writes a remark into the history. */
  note(text: string): void {
    this.history.push({ startMs: this.now(), endMs: this.now(), store: 0, call: "note", subject: text });
  }

  fail(summary: string, rule: Rule = this.rule): never {
    throw new ConformanceFailure(rule, summary, this.history);
  }

  that(holds: boolean, summary: string, rule: Rule = this.rule): void {
    if (!holds) this.fail(summary, rule);
  }

  equal(actual: unknown, expected: unknown, what: string, rule: Rule = this.rule): void {
    if (Object.is(actual, expected)) return;
    this.fail(`${what}\n  expected: ${JSON.stringify(expected)}\n  received: ${JSON.stringify(actual)}`, rule);
  }

  /** The call must fail with a `DtError` that has one of the codes and an outcome; gives it back. */
  async refused(
    call: Promise<unknown>,
    codes: readonly string[],
    what: string,
    rule: Rule = this.rule,
  ): Promise<{ code: string; outcome: string }> {
    const error = await call.then(
      (result) => this.fail(`${what} succeeded with ${JSON.stringify(result)}; expected ${codes.join(" or ")}`, rule),
      (reason: unknown) => reason,
    );
    if (error instanceof ConformanceFailure) throw error;
    if (!isDtError(error)) this.fail(`${what} failed with ${String(error)}, which is not a DtError`, rule);
    this.that(codes.includes(error.code), `${what} failed with ${error.code}; expected ${codes.join(" or ")}`, rule);
    this.that(
      error.outcome === "definite" || error.outcome === "unknown",
      `${what} failed with outcome ${String(error.outcome)}; it is either "definite" or "unknown"`,
      rule,
    );
    return error;
  }

  /** Waits for a call that is not recorded: it may fail, but it must settle. */
  async settled(what: string, call: Promise<unknown>): Promise<void> {
    await this.#guard(
      what,
      call.then(
        () => {},
        () => {},
      ),
    );
  }

  /** Ends the case's stores, and throws the first broken rule that no code of the case noticed. */
  async finish(): Promise<void> {
    const { target } = this;
    for (const store of this.#opened) {
      await this.#guard(
        "destroying the store",
        Promise.resolve(target.destroyStore ? target.destroyStore(store) : store.close()),
      );
    }
    if (this.#violation) throw this.#violation;
  }

  async #create(create: () => CoordinationStore | Promise<CoordinationStore>): Promise<CoordinationStore> {
    const call = Promise.resolve().then(create);
    const limitMs = this.ms(CREATE_LIMIT_MS);
    const hangs = "createStore() of the target";
    return this.within(hangs, limitMs, call);
  }

  /** A first call that has to connect, make tables or load scripts on a busy machine may take longer than a call should. */
  async #warmUp(store: CoordinationStore): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#guard("the first call of a store", store.inspect(this.#prefix));
        return;
      } catch (error) {
        if (attempt === WARM_UP_ATTEMPTS) throw error;
        await this.sleep(this.ms(100));
      }
    }
  }

  #violated(violation: Violation): Error {
    const failure = new ConformanceFailure(violation.rule, violation.summary, this.history);
    this.#violation ??= failure;
    return failure;
  }

  #guard<T>(what: string, call: Promise<T>): Promise<T> {
    return this.within(what, this.ms(CALL_LIMIT_MS), call);
  }
}
