import { PROFILES, type Profile } from "../plan/plan.ts";
import type { Distribution, Distributions } from "../scale/distributions.ts";
import type { ScaleReport } from "../scale/run-scale.ts";
import type { Summary } from "../soak/summary.ts";
import { type RunRecord, readRecord } from "./record.ts";

const MEANING: Readonly<Record<Profile, string>> = {
  atomic: "everything in the promise",
  storm: "many joins, crashes and leaves at once",
  suspended: "everyday faults, and hosts that are suspended: their clocks stand still, and two of three tell it",
  "abuse-of-the-prototype": "joins, crashes, 20 s pauses, partitions, lost messages; stale age 8 s",
  "failover-loss": "failovers that lose the newest writes",
  "hold-partition": "`onStoreLost: hold` while others go on",
  "floor-partition": "`onStoreLost: floor` of `max / 10` or `max / 20` while others go on",
};

const COUNTS = ["seeds", "violations", "seeds with an epoch above `max`", "worst epoch", "median utilisation"];

function counts({ seeds, violations, seedsAboveMax, worstOvershoot, medianUtilisation }: Summary): string {
  const often = seedsAboveMax === 0 ? "0" : `${count(seedsAboveMax)} (${percent(seedsAboveMax / seeds)})`;
  return `${count(seeds)} | ${violations} | ${often} | ${worstOvershoot.toFixed(2)} | ${percent(medianUtilisation)}`;
}

/** The soak of every profile, and how to run it. */
export function profilesTable(): string {
  const records = PROFILES.map((profile) => ({ profile, ...readRecord<Summary>(`soak-${profile}`) }));
  const rows = records.map(({ profile, result }) => `| \`${profile}\` | ${MEANING[profile]} | ${counts(result)} |`);
  const waiting = readRecord<Summary>("soak-abuse-of-the-prototype-waiting-for-agreement");
  const abuse = readRecord<Summary>("soak-abuse-of-the-prototype");
  return `${table(["profile", "what happens in it", ...COUNTS], rows)}
Under the abuse of the prototype the ledger grants ${percent(abuse.result.medianUtilisation)} of all tokens (median of ${count(abuse.result.seeds)} schedules); waiting for agreement, as the seed of this design does, grants
${percent(waiting.result.medianUtilisation)} under the same schedules.

${provenance([...records, waiting])}`;
}

/** The soaks of groups whose members share by demand, all or some of them. */
export function sharesTable(): string {
  const records = (["atomic", "storm"] as const).flatMap((profile) =>
    (["demand", "mixed"] as const).map((shares) => ({
      profile,
      shares,
      ...readRecord<Summary>(`soak-${profile}-${shares}`),
    })),
  );
  const rows = records.map(({ profile, shares, result }) => `| \`${profile}\` | ${shares} | ${counts(result)} |`);
  return `${table(["profile", "shares", ...COUNTS], rows)}
${provenance(records)}`;
}

/** A large fleet through its changes, and how to run it. */
export function phasesTable(): string {
  const record = readRecord<ScaleReport>("scale");
  const rows = record.result.phases.map((phase) => {
    const { members, epochsUntilFull, utilisationMeanwhile, mostSyncsPerSecondPerMember, worstEpoch, max } = phase;
    return `| ${phase.phase} | ${count(members)} | ${epochsUntilFull} | ${percent(utilisationMeanwhile)} | ${mostSyncsPerSecondPerMember.toFixed(1)} | ${(worstEpoch / max).toFixed(2)} |`;
  });
  const head = ["members after it", "epochs until all tokens are granted", "tokens granted meanwhile"];
  return `${table(["change", ...head, "most syncs a second and member", "worst epoch"], rows)}
${provenance([record])}`;
}

/** How soon a change has its effect. */
export function distributionsTable(): string {
  const record = readRecord<Distributions>("distributions");
  const { joinToFirstToken, joinToFullShare, crashToReclaimedShare } = record.result;
  const row = (name: string, { runs, p50, p90, p99, most }: Distribution): string =>
    `| ${name} | ${count(runs)} | ${seconds(p50)} | ${seconds(p90)} | ${seconds(p99)} | ${seconds(most)} |`;
  return `${table(
    ["from", "runs", "median", "90 %", "99 %", "longest"],
    [
      row("the start of a process to its first token", joinToFirstToken),
      row("the start of a process to its full share", joinToFullShare),
      row("a crash to an epoch in which the others are granted everything", crashToReclaimedShare),
    ],
  )}
${provenance([record])}`;
}

/** A table of cells that are rows already. */
export function table(head: readonly string[], rows: readonly string[]): string {
  return [`| ${head.join(" | ")} |`, `|${"---|".repeat(head.length)}`, ...rows, ""].join("\n");
}

/** Which commands gave these figures, when and from what. */
export function provenance(records: readonly RunRecord<unknown>[]): string {
  const runs = records.map(
    ({ command, date, commit, seconds }) =>
      `- \`${command.replace(" --save", "")}\`: ${date.slice(0, 10)}, commit \`${commit.slice(0, 12)}\`, ${Math.max(1, Math.round(seconds / 60))} min\n`,
  );
  return `Runs, in virtual time and deterministic, so that the machine does not matter:\n\n${runs.join("")}`;
}

function count(value: number): string {
  return value.toLocaleString("en-US");
}

function percent(part: number): string {
  const value = 100 * part;
  return `${value < 10 ? value.toPrecision(2) : value.toFixed(1)} %`;
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
