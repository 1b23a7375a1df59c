import { type Bug, bug } from "./bug.ts";

const LEDGER = "ledger/ledger.ts";
const AGGREGATES = "ledger/aggregates.ts";
const CLOCK = "ledger/group-clock.ts";

/** Faults of the store's side of the protocol, as core has it. */
export const LEDGER_BUGS: readonly Bug[] = [
  bug(
    "raise-beyond-free",
    "a member is raised to fair whatever the others hold",
    LEDGER,
    "raise(row, member, Math.min(row.capacity - row.held, fair - member.held));",
    "raise(row, member, fair - member.held);",
  ),
  bug(
    "raise-not-recorded",
    "a raise is answered but not recorded",
    LEDGER,
    "  table.putMember(member);\n  table.putGroup(row);\n  return {\n    status: agree",
    "  table.putMember(table.member(member.incarnation) ?? member);\n  table.putGroup(row);\n  return {\n    status: agree",
  ),
  bug(
    "repeats-count",
    "a repeated or late report counts like a new one",
    LEDGER,
    "if (report.seq > member.seq) {",
    "if (report.seq > 0) {",
  ),
  bug(
    "agree-one-short",
    "one member need not have adopted the generation",
    LEDGER,
    "const agree = !learning && row.adopted === row.poolSize;",
    "const agree = !learning && row.adopted >= row.poolSize - 1;",
  ),
  bug(
    "remainder-not-recorded",
    "the token of a remainder is not recorded as held",
    LEDGER,
    "raise(row, member, largestShare(row.capacity, row.poolSize) - member.held);",
    "raise(row, member, fair - member.held + 0 * largestShare(1, 1));",
  ),
  bug(
    "removal-without-generation",
    "a stale member is removed without a new generation",
    LEDGER,
    "if (removed > 0) membershipChanged(table, row);",
    "",
  ),
  bug(
    "stale-too-early",
    "a member goes stale in half its stale age",
    LEDGER,
    "member.expiresAtMs = livenessTime(row) + member.staleAfterMs;",
    "member.expiresAtMs = livenessTime(row) + member.staleAfterMs / 2;",
  ),
  bug(
    "ranks-with-gaps",
    "nobody moves into the rank of a member that left",
    LEDGER,
    "if (last && last.incarnation !== member.incarnation) table.putMember({ ...last, rank: member.rank });",
    "if (last && last.incarnation !== member.incarnation) table.putMember(last);",
  ),
  bug(
    "capacity-of-the-newest",
    "a newcomer's max replaces a smaller one",
    AGGREGATES,
    "row.capacity = first ? member.max : Math.min(row.capacity, member.max);",
    "row.capacity = member.max;",
  ),
  bug(
    "capacity-change-unnoticed",
    "a changed max makes no new generation",
    AGGREGATES,
    "  row.capacity = capacity;\n  nextGeneration(row);",
    "  row.capacity = capacity;",
  ),
  bug(
    "learning-skipped",
    "a store that lost its data raises at once",
    LEDGER,
    "row.learnUntilMs = Math.max(row.learnUntilMs, row.learnFromMs + learningOf(row, registration));",
    "",
  ),
  bug(
    "time-goes-back",
    "group time follows the server's clock back",
    CLOCK,
    "row.offsetMs = floorMs - clockMs;",
    "row.offsetMs += 0;",
  ),
  bug(
    "learning-ends-by-observation",
    "what a survivor has observed ends the learning of a recreated group",
    CLOCK,
    "row.lapsedMs += nowMs - shownMs;",
    "",
  ),
  {
    name: "quiet-counts-in-full",
    what: "a jump of the server's clock counts as silence, and members that it removes do not hear of the jump",
    changes: [
      {
        file: CLOCK,
        from: "if (quietMs > row.quietLimitMs) row.lapsedMs += quietMs - row.quietLimitMs;",
        to: "",
      },
      {
        file: "consensus/exchange.ts",
        from: "if (view.storeTimeMs - this.#heardMs >= staleAfterMs) this.endShare();",
        to: "if (view.storeTimeMs - this.#heardMs >= 1e6 * staleAfterMs) this.endShare();",
      },
    ],
  },
  {
    name: "late-registration-fences",
    what: "a registration fences the holder of its id at once, although it may be a late message of a dead process",
    changes: [
      {
        file: LEDGER,
        from: 'standing: "newcomer",',
        to: 'standing: "holder",',
      },
      {
        file: LEDGER,
        from: "  const resumeLevel = levelToResume(table, registration, holder, nowMs);",
        to: `  const resumeLevel = levelToResume(table, registration, holder, nowMs);
  if (holder && !known) table.putMember({ ...holder, standing: "fenced" });`,
      },
    ],
  },
];
