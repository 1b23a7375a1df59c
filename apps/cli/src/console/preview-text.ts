/** A number with at most three digits after the point. */
export function amount(value: number): string {
  return (Math.round(value * 1_000) / 1_000).toLocaleString("en-US", { maximumFractionDigits: 3 });
}

/** `3 members`, `1 member`. */
export function plural(count: number, what: string): string {
  return `${amount(count)} ${what}${count === 1 ? "" : "s"}`;
}

/** ` per 60 s`; nothing without a window. */
export function per(windowMs: number | null): string {
  return windowMs === null ? "" : ` per ${amount(windowMs / 1_000)} s`;
}
