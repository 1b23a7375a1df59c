import type { SpendAnswer, SpendRequest } from "@dt/core";
import type { Violation } from "../invariants.ts";
import { type KeyFloor, keyTimeViolation } from "../permits/permit-invariants.ts";
import type { Recorder } from "../record-call.ts";
import { LeasedUnits } from "./leased-units.ts";
import { spendViolation } from "./spend-invariants.ts";

/** Checks of every answer about a budget. */
export class BudgetChecks {
  readonly #recorder: Recorder;
  readonly #ownFloors = new Map<string, KeyFloor>();

  constructor(recorder: Recorder) {
    this.#recorder = recorder;
  }

  async spent(budget: string, request: SpendRequest, run: () => Promise<SpendAnswer>): Promise<SpendAnswer> {
    const recorder = this.#recorder;
    // What is malformed is refused: no answer is to be checked.
    if (!isWellFormed(request)) return run();
    const leased = this.#leasedFrom(budget);
    const sentMs = recorder.now();
    const [own, shared] = [this.#ownFloors.get(budget), leased.floor];
    leased.sent(request);
    const answer = await run();
    const violation =
      spendViolation(request, answer) ??
      this.#timeViolation(own, sentMs, answer, 0) ??
      this.#timeViolation(shared, sentMs, answer, recorder.clockErrorMs);
    if (violation) throw recorder.violated(violation);
    const floor = { answeredMs: recorder.now(), storeTimeMs: answer.storeTimeMs };
    this.#ownFloors.set(budget, floor);
    if (!leased.floor || answer.storeTimeMs >= leased.floor.storeTimeMs) leased.floor = floor;
    // Not thrown: the case may know better which rule it was.
    const over = leased.answered(request, answer);
    if (over) recorder.note(over);
    return answer;
  }

  reset(budget: string): void {
    this.#leasedFrom(budget).reset();
  }

  #timeViolation(
    floor: KeyFloor | undefined,
    sentMs: number,
    { storeTimeMs }: SpendAnswer,
    apartMs: number,
  ): Violation | undefined {
    const clock = { apartMs, runs: this.#recorder.clockErrorMs === 0 };
    const violation = keyTimeViolation(floor, sentMs, storeTimeMs, clock, "budget");
    return violation && { ...violation, rule: "B2" };
  }

  #leasedFrom(budget: string): LeasedUnits {
    const { budgets } = this.#recorder;
    const leased = budgets.get(budget) ?? new LeasedUnits();
    budgets.set(budget, leased);
    return leased;
  }
}

function isWellFormed({ limits, keeps, settle = [], reserve }: SpendRequest): boolean {
  const lists: unknown[] = [limits, keeps, settle, ...(reserve ? [reserve.costs] : [])];
  return lists.every(Array.isArray) && settle.every(({ costs }) => Array.isArray(costs));
}
