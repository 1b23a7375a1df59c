const UNITS_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };

/** Rules with all of their times a part: each `for`, and each window of a query. */
export function sooner(rules: string, divisor: number): string {
  const shorter = (count: string, unit: string): string =>
    `${(Number(count) * (UNITS_MS[unit] as number)) / divisor}ms`;
  return rules
    .replaceAll(/(\bfor: )(\d+)([smh])\b/g, (_, before, count, unit) => before + shorter(count, unit))
    .replaceAll(/\[(\d+)([smh])(:?)\]/g, (_, count, unit, colon) => `[${shorter(count, unit)}${colon}]`);
}
