/** A service under load: the model of a callee, in virtual time, in which the real limiters run. */
export { type Admission, type Ticket, unlimited } from "./admission.ts";
export type { Book } from "./book.ts";
export { BIN_MS, type Ideal, idealOf } from "./ideal.ts";
export { goodput, jain, judge, quantile, type Verdict } from "./judge.ts";
export { LIMITER_FORMS, type Limiter, limiterNamed } from "./limiters.ts";
export { readScenario } from "./read-scenario.ts";
export { type RunOptions, run } from "./run.ts";
export type { Callee, CalleeChange, Clients, Load, Scenario, Service } from "./scenario.ts";
export { scenarioCode, scenarioNamed, scenarios } from "./scenarios/index.ts";
export { type Series, seriesOf } from "./series.ts";
export { aligned, percent } from "./suite/table.ts";
