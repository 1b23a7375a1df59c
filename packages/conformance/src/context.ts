import { type CoordinationStore, type MemberView, type Runtime, randomId } from "@dt/core";
import { checkVersion } from "@dt/core/internal";
import type { AnyStore, MethodName } from "@dt/core/store";
import type { LeasedUnits } from "./budgets/leased-units.ts";
import { CaseChecks } from "./case-checks.ts";
import { CaseGroup } from "./case-group.ts";
import { SkippedCase } from "./failure.ts";
import type { GroupFloor } from "./invariants.ts";
import { Member, type MemberOptions } from "./member.ts";
import type { IssuedPermits } from "./permits/issued-permits.ts";
import { type PermitDefaults, PermitKey } from "./permits/permit-key.ts";
import type { PermitStore } from "./permits/permit-store.ts";
import type { Recorder } from "./record-call.ts";
import { recordStore } from "./recorded-store.ts";
import type { Rule } from "./rules.ts";
import type { StoreTarget, StoreUse } from "./target.ts";
import type { GroupUse } from "./use/group-use.ts";

/** A stale age that no case waits for. */
export const LONG_MS = 60_000;
/** A stale age that cases wait for. */
export const SHORT_MS = 500;
/** An interval of permits that no case waits for. */
const LONG_EVERY_MS = 10_000;
/** Making a store may start or wait for something; one that takes this long hangs. */
const CREATE_LIMIT_MS = 30_000;
/** Adapters settle in about a second; a call that takes this long does not settle. */
const CALL_LIMIT_MS = 5_000;
const WARM_UP_ATTEMPTS = 5;

/** What the contract allows for a hybrid clock. */
const HYBRID_CLOCK_ERROR_MS = 2_000;

/** A store that has a method which not every store needs. */
type Having<Name extends MethodName & keyof PermitStore> = PermitStore & Required<Pick<PermitStore, Name>>;

/** What a case works with: recorded stores, members, time, and checks that name the rule. */
export class CaseContext extends CaseChecks {
  readonly target: StoreTarget;
  /** A number in [0, 1) from the seed and the case's name. */
  readonly random: () => number;
  readonly #use: StoreUse;
  readonly #opened: CoordinationStore[] = [];
  readonly #prefix: string;
  readonly #recorder: Recorder;
  #groups = 0;
  #members = 0;
  #first: CoordinationStore | undefined;

  constructor(target: StoreTarget, rule: Rule, use: StoreUse, runtime: Runtime, random: () => number) {
    super(rule, runtime, target.timeScale ?? 1);
    this.target = target;
    this.#use = use;
    this.random = random;
    // Not from the seed: two runs on one server must not meet in a group.
    this.#prefix = `conformance-${randomId(runtime)}`;
    this.#recorder = {
      now: () => this.now(),
      history: this.history,
      floors: new Map<string, GroupFloor>(),
      uses: new Map<string, GroupUse>(),
      permits: new Map<string, IssuedPermits>(),
      budgets: new Map<string, LeasedUnits>(),
      clockErrorMs: this.clockErrorMs,
      guard: (what, call) => this.#guard(what, call),
      violated: (violation) => this.violated(violation),
      note: (violation) => {
        if (!this.violation) this.violated(violation);
      },
    };
  }

  /** How far what two clients are answered at one instant may lie apart (R2). */
  get clockErrorMs(): number {
    return this.target.capabilities.clock === "hybrid" ? HYBRID_CLOCK_ERROR_MS : 0;
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
    create = () => this.target.createStore(this.#use),
    options: { readonly untouched?: boolean } = {},
  ): Promise<CoordinationStore> {
    const store = await this.#create(create);
    this.#opened.push(store);
    if (!options.untouched) await this.#warmUp(store);
    return recordStore(store, this.#opened.length, this.#recorder);
  }

  /** A store as the target makes it, which nothing records: for cases about what recording hides. */
  async bareStore(): Promise<CoordinationStore> {
    const store = await this.#create(() => this.target.createStore(this.#use));
    this.#opened.push(store);
    return store;
  }

  /**
   * The store as a permit ledger.
   * @throws SkippedCase when it is none, unless the target says that it is
   */
  permits(store: CoordinationStore): PermitStore {
    const missing = (["reserve", "release"] as const).find((name) => !this.has(store, name));
    if (missing === undefined) return store as PermitStore;
    if (this.target.permits === true) this.fail(`the target promises permits, and the store has no ${missing}()`);
    throw new SkippedCase(`the store keeps no permits (it has no ${missing}())`);
  }

  /** @throws SkippedCase where the store does not tell of freed instants */
  hintsOfPermits(store: PermitStore): Having<"onPermitHint"> {
    return this.#having(store, "onPermitHint", "sends no hints of freed permits");
  }

  /** @throws SkippedCase where the store cannot reset a key */
  resetsPermits(store: PermitStore): Having<"resetPermits"> {
    return this.#having(store, "resetPermits", "cannot reset a key of permits");
  }

  /** @throws SkippedCase where the store does not inspect keys */
  inspectsPermits(store: PermitStore): Having<"inspectPermits"> {
    return this.#having(store, "inspectPermits", "does not inspect keys of permits");
  }

  /** @throws SkippedCase where the store does not list its keys */
  listsPermits(store: PermitStore): Having<"listPermits"> {
    return this.#having(store, "listPermits", "lists no keys of permits");
  }

  /** @throws SkippedCase where the store sends no hints to members of a semaphore */
  hintsOfSlots(store: CoordinationStore): Having<"onSlotHint"> {
    return this.#having(store, "onSlotHint", "sends no hints of slots");
  }

  /** @throws SkippedCase where the store cannot repair a group */
  repairs(store: CoordinationStore): Having<"repair"> {
    return this.#having(store, "repair", "repairs no groups");
  }

  /** @throws SkippedCase where the store does not list its groups */
  lists(store: CoordinationStore): Having<"list"> {
    return this.#having(store, "list", "lists no groups");
  }

  /** Whether the store has a method that not every store needs. */
  has(store: AnyStore, name: MethodName): boolean {
    return typeof store[name] === "function";
  }

  canRepair(store: CoordinationStore): store is Having<"repair"> {
    return this.has(store, "repair");
  }

  /** What was answered of a key counts no more: its data is gone. */
  forgetPermits(key: string): void {
    this.#recorder.permits.delete(key);
  }

  /** The case's first store as a permit ledger. */
  async permitStore(): Promise<PermitStore> {
    return this.permits(await this.store());
  }

  /** Another client of the same permits; the same store again when the target's stores share nothing. */
  async permitClient(): Promise<PermitStore> {
    return this.permits(await this.client());
  }

  /**
   * A key that nobody has used, with intervals so long that no instant comes while the case runs unless it says
   * otherwise.
   */
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

  /** A group that nobody has used, on the case's first store. */
  async newGroup(): Promise<CaseGroup> {
    return new CaseGroup(await this.store(), this.group(), (...of) => this.member(...of));
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

  /** A group of the case's first store that two members have just joined, one after the other. */
  async joinedPair(): Promise<{ readonly group: CaseGroup; readonly a: Member; readonly b: Member }> {
    const group = await this.newGroup();
    const [a, b] = [group.member(), group.member()];
    await a.join();
    await b.join();
    return { group, a, b };
  }

  /**
   * Syncs the members in turn until all are answered `agree`: at most three rounds, since each only has to hear, adopt
   * and learn.
   */
  async agree(...members: readonly Member[]): Promise<MemberView[]> {
    for (let round = 0; ; round++) {
      const views: MemberView[] = [];
      for (const member of members) views.push(await member.beat());
      if (views.every((view) => view.status === "agree")) return views;
      if (round === 3)
        this.fail(
          `${members.length} members that all adopt the answered generation do not agree after ${round} rounds`,
          "R9",
        );
    }
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
    if (this.violation) throw this.violation;
  }

  #having<Name extends MethodName & keyof PermitStore>(
    store: CoordinationStore,
    name: Name,
    what: string,
  ): Having<Name> {
    if (!this.has(store, name)) throw new SkippedCase(`the store ${what} (it has no ${name}())`);
    return store as Having<Name>;
  }

  async #create(create: () => CoordinationStore | Promise<CoordinationStore>): Promise<CoordinationStore> {
    const call = Promise.resolve().then(create);
    const limitMs = this.ms(CREATE_LIMIT_MS);
    const hangs = "createStore() of the target";
    const store = await this.within(hangs, limitMs, call);
    checkVersion("the store of createStore()", store);
    return store;
  }

  /**
   * A first call that has to connect, make tables or load scripts on a busy machine may take longer than a call should.
   */
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

  #guard<T>(what: string, call: Promise<T>): Promise<T> {
    return this.within(what, this.ms(CALL_LIMIT_MS), call);
  }
}
