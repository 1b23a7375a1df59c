import type { CaseDefinition } from "../../case.ts";
import { mixing } from "./mixing.ts";
import { over } from "./over.ts";
import { schedules } from "./schedules.ts";
import { targets } from "./targets.ts";
import { demandTurns } from "./turns.ts";
import { wants } from "./wants.ts";

/** R21 to R25: shares that follow demand. None waits but those in which somebody goes stale or a group learns. */
export const demandCases: readonly CaseDefinition[] = [
  ...wants,
  ...targets,
  ...demandTurns,
  ...over,
  ...mixing,
  ...schedules,
];
