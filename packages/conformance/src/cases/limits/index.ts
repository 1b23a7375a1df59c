import type { CaseDefinition } from "../../case.ts";
import { groups } from "./groups.ts";
import { records } from "./records.ts";

/** Limits that live in the store: their records, and groups that go by them. */
export const limitCases: readonly CaseDefinition[] = [...records, ...groups];
