import type { ConformanceReport } from "@dt/conformance";

/** A report for people: failures with their history, then what was skipped and why, then the counts. */
export function reportText(report: ConformanceReport): string {
  const { target, seed, passed, failed, skipped, failures, ms } = report;
  const parts = failures.map(
    ({ case: name, rule, message }) => `FAILED ${rule}: ${name}\n\n  ${message.replaceAll(/\n(?=.)/g, "\n  ")}\n`,
  );
  if (skipped.length > 0) parts.push(["Skipped:", ...skipLines(skipped), ""].join("\n"));
  const broken = [...new Set(failures.map(({ rule }) => rule))];
  const verdict = failed > 0 ? `breaks ${broken.join(", ")}` : passed > 0 ? "passed" : "not checked: no case could run";
  parts.push(
    `${target}: ${verdict}\n${passed} passed, ${failed} failed, ${skipped.length} skipped in ${(ms / 1_000).toFixed(1)} s (seed ${seed})\n`,
  );
  return parts.join("\n");
}

/** One line for each reason, with the cases below. */
function skipLines(skipped: ConformanceReport["skipped"]): string[] {
  const reasons = [...new Set(skipped.map(({ why }) => why))];
  return reasons.flatMap((reason) => [
    `  ${reason}:`,
    ...skipped.filter(({ why }) => why === reason).map(({ case: name }) => `    ${name}`),
  ]);
}
