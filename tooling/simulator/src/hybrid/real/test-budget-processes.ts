import { afterAll, expect, it } from "vitest";
import type { BudgetWorkerOptions } from "./budget-options.ts";
import { BudgetProcess, type SpentCall } from "./budget-process.ts";

/** The first is 5 s ahead of the others, and the second runs fast. */
const clockOf = (i: number) => ({ offsetMs: i === 0 ? 5_000 : 0, rate: i === 1 ? 1.0005 : 1 });

const MAX = 100;

/**
 * Makes tests of budgets in real processes on a real store.
 * @param store what makes the store of each process of a test; asked when the server runs
 * @param errorMs how much shorter a window may be in true time
 */
export function testBudgetProcesses(
  store: () => Pick<BudgetWorkerOptions, "module" | "factory" | "store">,
  errorMs: number,
): void {
  const workers: BudgetProcess[] = [];
  afterAll(() => Promise.all(workers.map((worker) => worker.kill())));

  function crewOf(budget: string, windowMs: number, sizes: readonly number[]): BudgetProcess[] {
    const shared = store();
    const limit = { name: "tokens", max: MAX, windowMs, burst: MAX };
    const crew = sizes.map(
      (calls, i) => new BudgetProcess({ id: `${budget}${i}`, ...shared, budget, limit, clock: clockOf(i), calls }),
    );
    workers.push(...crew);
    return crew;
  }

  /** No window of the budget's time, or of true time but for the error, holds more than the limit. */
  function expectWindows(crew: readonly BudgetProcess[], windowMs: number): void {
    const spent = crew.flatMap((worker) => worker.spent);
    const instants = spent.map(({ cost, atMs }) => ({ cost, earliestMs: atMs, latestMs: atMs }));
    expect(mostIn(instants, windowMs)).toBeLessThanOrEqual(MAX);
    expect(mostIn(spent, windowMs - errorMs)).toBeLessThanOrEqual(MAX);
    // On a busy machine a call may lose too many races; it says so, and is made again.
    for (const failure of crew.flatMap(({ failures }) => failures)) expect(failure).toMatch(/^DtError: /);
  }

  it("six real processes, one of them 5 s off, spend no more in any window than the limit, and each gets its calls", {
    timeout: 120_000,
  }, async () => {
    const crew = crewOf("dense", 2_000, [10, 10, 10, 10, 10, 10]);
    await Promise.all(crew.map((worker) => worker.ready()));
    for (const worker of crew) worker.begin();
    await Promise.all(crew.map((worker) => worker.finished()));
    expect(crew.flatMap(({ spent }) => spent)).toHaveLength(60);
    expectWindows(crew, 2_000);
  });

  it("what a process that is killed has spent stays spent, and one that stands still or is new spends no more than is left", {
    timeout: 120_000,
  }, async () => {
    const windowMs = 3_000;
    const crew = crewOf("sparse", windowMs, [12, 12, 100, 12]);
    await Promise.all(crew.map((worker) => worker.ready()));
    const [a, b, killed, late] = crew as [BudgetProcess, BudgetProcess, BudgetProcess, BudgetProcess];
    a.begin();
    killed.begin();
    await expect.poll(() => killed.spent.length, { timeout: 10_000 }).toBeGreaterThan(3);
    await killed.kill();
    b.begin();
    a.signal("SIGSTOP");
    await expect.poll(() => b.spent.length, { timeout: 20_000 }).toBeGreaterThan(3);
    late.begin();
    a.signal("SIGCONT");
    await Promise.all([a, b, late].map((worker) => worker.finished()));
    expect([a, b, late].flatMap(({ spent }) => spent)).toHaveLength(36);
    expectWindows(crew, windowMs);
  });
}

/** The most units that are known to be in one window of this length. */
function mostIn(calls: readonly Omit<SpentCall, "atMs">[], windowMs: number): number {
  const sums = calls.map(({ earliestMs: fromMs }) =>
    calls
      .filter(({ earliestMs, latestMs }) => earliestMs >= fromMs && latestMs < fromMs + windowMs)
      .reduce((sum, { cost }) => sum + cost, 0),
  );
  return Math.max(...sums);
}
