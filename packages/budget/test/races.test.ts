import { describe, expect, it } from "vitest";
import { fleet, watched } from "./support/budgets.ts";

describe("callers that wait for a slot", () => {
  it("are refused where the budget is stopped as they get it", async () => {
    const { budget, pass } = fleet({ concurrent: 1 });
    const first = watched(budget.acquire());
    await pass(3_000);
    const second = watched(budget.acquire());
    await pass(1_000);
    first.value?.settle();
    await budget.stop();
    await pass(1_000);
    expect(second.error).toMatchObject({ code: "DT_STOPPED" });
    expect(budget.status().waiting).toBe(0);
  });
});
