import type { Scenario } from "../scenario.ts";
import { examinedScenarios } from "./examined.ts";
import { ownScenarios } from "./own.ts";
import { referenceScenarios } from "./reference.ts";
import { thirdTrialScenarios } from "./third-trial.ts";

export const scenarios: readonly Scenario[] = [
  ...referenceScenarios,
  ...ownScenarios,
  ...thirdTrialScenarios,
  ...examinedScenarios,
];

/** S1 to S9, F1, T1, O1 to O5, W1 to W8, E1 to E5. */
export const scenarioCode = ({ title }: Scenario): string => /^[A-Z]\d/.exec(title)?.[0] ?? "";

/** By its name, or by its number: "burst" and "S3" are the same. */
export function scenarioNamed(name: string): Scenario | undefined {
  return scenarios.find((scenario) => scenario.name === name || scenarioCode(scenario) === name.toUpperCase());
}
