import type { CoordinationStore, Registration, Report } from "@dt/core";
import type { CaseDefinition } from "../case.ts";
import type { CaseContext } from "../context.ts";
import type { Member } from "../member.ts";
import type { Rule } from "../rules.ts";
import { NOT_NAMES } from "./not-names.ts";

type Malformed<T> = readonly [field: keyof T & string, values: readonly unknown[], rule: Rule];

const NOT_COUNTS = [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, "10", null, undefined];
/** More tokens than anybody has: their sum would leave the whole numbers. */
const NOT_TOKENS = [1e12 + 1, ...NOT_COUNTS];
/** 1e300 is what makes an expiry overflow on a server after the row was written. */
const NOT_TIMES = [-1, Number.NaN, Number.POSITIVE_INFINITY, 1e300, "10", null, undefined];
const NOT_DURATIONS = [1e12 + 1, ...NOT_TIMES];
const NOT_LEVELS = [-1, Number.NaN, Number.POSITIVE_INFINITY, 1e300, "10", undefined];

/** Absent is a value of what is optional. */
const isThere = (value: unknown): boolean => value !== undefined && value !== null;
const NOT_USES = [
  ...["10", 10],
  ...NOT_COUNTS.map((epoch) => ({ epoch, used: 1 })),
  ...NOT_TOKENS.map((used) => ({ epoch: 1, used })),
];

const NOT_ACTIVITIES = [
  ...["10", 10, null],
  ...NOT_TOKENS.map((used) => ({ used, waiting: 1 })),
  ...NOT_TOKENS.map((waiting) => ({ used: 1, waiting })),
];

const REGISTRATION: readonly Malformed<Registration>[] = [
  ["claim", NOT_TOKENS, "R7"],
  ["id", NOT_NAMES, "R15"],
  ["incarnation", NOT_NAMES, "R15"],
  ["seq", NOT_COUNTS, "R11"],
  ["max", [0, ...NOT_TOKENS], "R6"],
  ["intervalMs", [0, ...NOT_DURATIONS], "R14"],
  ["staleAfterMs", [0, ...NOT_DURATIONS], "R4"],
  ["learningMs", NOT_DURATIONS, "R8"],
  ["resumeWithinMs", NOT_DURATIONS, "R13"],
  ["observedMs", NOT_TIMES, "R2"],
  ["clockErrorMs", NOT_DURATIONS.filter(isThere), "R6"],
  ["level", NOT_LEVELS, "R13"],
];

const REPORT: readonly Malformed<Report>[] = [
  ["held", NOT_TOKENS, "R7"],
  ["seq", NOT_COUNTS, "R11"],
  ["generation", NOT_COUNTS, "R9"],
  ["members", NOT_COUNTS, "R9"],
  ["max", [0, ...NOT_TOKENS], "R6"],
  ["level", NOT_LEVELS, "R13"],
  ["observedMs", NOT_TIMES.filter(isThere), "R2"],
  ["use", NOT_USES, "R20"],
  ["activity", NOT_ACTIVITIES, "R27"],
  ["pauseMs", NOT_DURATIONS.filter(isThere), "R35"],
];

/** What a store refuses before it writes anything: a number that is none would spoil the ledger for everybody. */
export const arguments_: readonly CaseDefinition[] = [
  {
    name: "a malformed registration is refused, and changes nothing",
    rule: "R7",
    run: (context) =>
      refusesEach(context, REGISTRATION, "registration", (store, group, member, wrong) =>
        store.register(group, { ...member.registration({ seq: 99 }), ...wrong } as Registration),
      ),
  },
  {
    name: "a malformed report is refused, and changes nothing",
    rule: "R7",
    run: (context) =>
      refusesEach(context, REPORT, "report", (store, group, member, wrong) =>
        store.sync(group, member.ref, { ...member.report({ seq: 99 }), ...wrong } as Report),
      ),
  },
  {
    name: "a group name that is empty, too long or not well-formed is refused by every call",
    rule: "R15",
    async run(context) {
      const store = await context.store();
      for (const group of NOT_NAMES as string[]) {
        const member = context.member(store, group);
        const what = `with the group name ${JSON.stringify(String(group).slice(0, 12))}`;
        await context.refused(member.register(), ["DT_INVALID_OPTION"], `register ${what}`);
        await context.refused(member.sync(), ["DT_INVALID_OPTION"], `sync ${what}`);
        await context.refused(member.leave(), ["DT_INVALID_OPTION"], `deregister ${what}`);
        await context.refused(store.inspect(group), ["DT_INVALID_OPTION"], `inspect ${what}`);
      }
    },
  },
];

/** `JSON.stringify` alone would make null of what is no number. */
function inspected(value: unknown): string {
  if (typeof value !== "object" || value === null) return String(value);
  return `{ ${Object.entries(value)
    .map(([name, part]) => `${name}: ${String(part)}`)
    .join(", ")} }`;
}

async function refusesEach<T>(
  context: CaseContext,
  fields: readonly Malformed<T>[],
  what: string,
  send: (store: CoordinationStore, group: string, member: Member, wrong: object) => Promise<unknown>,
): Promise<void> {
  const group = await context.newGroup();
  const member = group.member();
  await member.join();
  const before = await group.inspect();
  for (const [field, values, rule] of fields) {
    for (const value of values) {
      const shown = typeof value === "string" ? JSON.stringify(value.slice(0, 12)) : inspected(value);
      await context.refused(
        send(group.store, group.name, member, { [field]: value }),
        ["DT_INVALID_OPTION"],
        `a ${what} with ${field} ${shown}`,
        rule,
      );
    }
  }
  const after = await group.inspect();
  context.equal(after.memberCount, before.memberCount, `member count after the malformed ${what}s`);
  context.equal(after.held, before.held, `sum of what is held after the malformed ${what}s`);
  context.equal(after.generation, before.generation, `generation after the malformed ${what}s`, "R5");
}
