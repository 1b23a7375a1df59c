import type {
  BudgetSnapshot,
  LimitLedger,
  LimitValues,
  Settlement,
  SpendAnswer,
  SpendRequest,
  SpendReservation,
} from "@dt/core";
import { inspectBudget } from "@dt/core/ledger";
import type { Fail } from "../member.ts";
import { OneAtATime } from "../one-at-a-time.ts";
import type { Rule } from "../rules.ts";
import type { BudgetStore } from "./budget-store.ts";
import { PlainBudgetTable } from "./plain-budget-table.ts";
import { printSpendAnswer } from "./print-answer.ts";
import { followSpend } from "./specification.ts";

/** What every request of a budget has in common. */
export interface BudgetDefaults extends Pick<SpendRequest, "limits" | "keeps"> {
  readonly maxWaitMs: number;
  readonly keepMs: number;
}

/** An answered reservation. */
export interface Leased {
  readonly id: string;
  readonly request: SpendRequest;
  readonly answer: SpendAnswer;
}

/** What a reservation asks for besides its costs, and the rest of its request. */
export interface Asked extends Partial<SpendReservation>, Partial<Omit<SpendRequest, "reserve">> {}

/**
 * One budget as a case uses it, one call after the other: every answer must be the one that core's arithmetic gives at
 * the store's time. The first difference fails the case, by the rule that the case is about.
 */
export class Budget {
  readonly name: string;
  readonly defaults: BudgetDefaults;
  readonly #store: BudgetStore;
  readonly #fail: Fail;
  readonly #rule: Rule;
  readonly #table = new PlainBudgetTable();
  readonly #oneAtATime = new OneAtATime();
  #ids = 0;

  constructor(store: BudgetStore, name: string, defaults: BudgetDefaults, rule: Rule, fail: Fail) {
    this.#store = store;
    this.name = name;
    this.defaults = defaults;
    this.#rule = rule;
    this.#fail = fail;
  }

  /** A request of this budget. */
  request(changes: Partial<SpendRequest> = {}): SpendRequest {
    const { limits, keeps } = this.defaults;
    return { limits, keeps, ...changes };
  }

  /** A request that reserves, with an id of its own. */
  reservation(costs: readonly number[], asked: Asked = {}): SpendRequest & Required<Pick<SpendRequest, "reserve">> {
    this.#ids += 1;
    const { maxWaitMs, keepMs } = this.defaults;
    const { id = `l${this.#ids}-${this.name.slice(-40)}`, tier = 0, force, ...rest } = asked;
    const { maxWaitMs: waitMs = maxWaitMs, keepMs: keep = keepMs, costs: _, ...changes } = rest;
    const reserve = { id, costs, tier, maxWaitMs: waitMs, keepMs: keep, ...(force !== undefined && { force }) };
    return { ...this.request(changes), reserve };
  }

  /** Sends a request, again perhaps. */
  async send(request: SpendRequest, store: BudgetStore = this.#store): Promise<SpendAnswer> {
    const answer = await this.#oneAtATime.ask(() => store.spend(this.name, request));
    const followed = followSpend(this.#table, request, answer);
    if ("expected" in followed)
      this.#fail(
        this.#rule,
        `spend of a budget\n  expected: ${followed.expected}\n  received: ${printSpendAnswer(answer)}`,
      );
    this.#table.become(followed.after);
    return answer;
  }

  /** Asks for a cost, whatever the answer. */
  async ask(costs: readonly number[], asked: Asked = {}, store?: BudgetStore): Promise<Leased> {
    const request = this.reservation(costs, asked);
    return { id: request.reserve.id, request, answer: await this.send(request, store) };
  }

  /** Asks for a cost and must be granted it. */
  async take(costs: readonly number[], asked: Asked = {}, store?: BudgetStore): Promise<Leased> {
    const leased = await this.ask(costs, asked, store);
    if (!leased.answer.granted)
      this.#fail(this.#rule, `a cost of ${JSON.stringify(costs)} is refused: ${printSpendAnswer(leased.answer)}`);
    return leased;
  }

  /** Asks for a cost and must be refused. */
  async refused(costs: readonly number[], asked: Asked, why: string): Promise<Leased> {
    const leased = await this.ask(costs, asked);
    if (leased.answer.granted) this.#fail(this.#rule, `a cost of ${JSON.stringify(costs)} is granted although ${why}`);
    return leased;
  }

  /** Settles a lease, as measured unless it is said otherwise. */
  settle(
    { id }: Pick<Leased, "id">,
    costs: Settlement["costs"],
    measured = true,
    store?: BudgetStore,
  ): Promise<SpendAnswer> {
    return this.send(this.request({ settle: [{ id, costs, measured }] }), store);
  }

  /** Asks for nothing. */
  look(store?: BudgetStore): Promise<SpendAnswer> {
    return this.send(this.request(), store);
  }

  /** Units that are left of each limit must be these. */
  async rests(expected: readonly number[], when: string, limits = this.defaults.limits): Promise<void> {
    const { rests } = await this.send(this.request({ limits }));
    if (JSON.stringify(rests) !== JSON.stringify(expected))
      this.#fail(
        this.#rule,
        `units left ${when}\n  expected: ${JSON.stringify(expected)}\n  received: ${JSON.stringify(rests)}`,
      );
  }

  /** Sets what its limit record says, or removes it. */
  async setLimit(store: Pick<LimitLedger, "setLimit">, values: LimitValues | undefined): Promise<void> {
    const { revision } = await store.setLimit({ kind: "budget", name: this.name }, { values, by: "conformance" });
    this.#table.record = { revision, values: values ? JSON.stringify(values) : null, untilMs: null };
  }

  /** Resets the budget (B11). */
  async reset(store: Required<Pick<BudgetStore, "resetBudget">>): Promise<void> {
    await store.resetBudget(this.name);
    this.#table.forget();
  }

  /** What the store says that the budget holds, which must be what the requests so far have left there (B12). */
  async inspect(store: Required<Pick<BudgetStore, "inspectBudget">>): Promise<BudgetSnapshot> {
    const snapshot = await store.inspectBudget(this.name);
    if (snapshot === undefined) return this.#fail(this.#rule, "inspectBudget knows nothing of a budget in use");
    const right = inspectBudget(this.#table.clone(), this.name, snapshot.storeTimeMs);
    if (inOrder(snapshot) !== inOrder(right ?? {}))
      this.#fail(
        this.#rule,
        `inspectBudget of a budget\n  expected: ${inOrder(right ?? {})}\n  received: ${inOrder(snapshot)}`,
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
