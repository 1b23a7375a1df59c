import type { PermitStore } from "../permits/stores/permit-store.ts";
import { Callee } from "./callee.ts";
import { Fleet } from "./fleet.ts";
import { type Judgement, judge } from "./judge.ts";
import { Scenario } from "./scenario.ts";
import type { FleetSettings } from "./settings.ts";

export interface RunSettings extends FleetSettings {
  readonly processes: number;
}

export interface BudgetResult extends Judgement {
  readonly settings: RunSettings;
  /** For each fault what was seen of it. */
  readonly seen: Readonly<Record<string, number>>;
}

/** Lets processes make calls with leases of one budget while everything goes wrong once, and judges the calls. */
export async function runBudgets(
  store: PermitStore,
  settings: RunSettings,
  say: (line: string) => void = () => {},
): Promise<BudgetResult> {
  await using stack = new AsyncDisposableStack();
  const started = await store.start();
  stack.defer(() => started.stop());
  const callee = stack.use(await Callee.listen());
  const fleet = stack.use(new Fleet(started, callee, settings));
  say(`${settings.processes} processes start`);
  await fleet.add(settings.processes);
  const scenario = new Scenario({ store: started, callee, fleet, settings, say });
  await scenario.run();
  const { losses, seen, violations } = scenario.happened;
  const judgement = judge(callee.calls, settings.quota, losses);
  const rounded = Object.fromEntries(Object.entries(seen).map(([what, number]) => [what, Math.round(number)]));
  return { settings, ...judgement, seen: rounded, violations: [...violations, ...judgement.violations] };
}
