/** Three significant digits and thousands separators: `1,234`, `41.6`, `0.93`. A dash for what was not measured. */
export function figure(value: number | null): string {
  if (value === null) return "-";
  if (!Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  const digits = size >= 100 ? 0 : size >= 10 ? 1 : 2;
  const text = value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return /^-0\.0+$/.test(text) ? text.slice(1) : text;
}

/** A whole number with thousands separators. */
export function count(value: number): string {
  return value.toLocaleString("en-US", { maximumFractionDigits: 0 });
}

/** A ratio: `1.25x`. A dash for what was not measured. */
export function ratio(value: number | null): string {
  return value === null ? figure(null) : `${figure(value)}x`;
}

/** Some figures in one cell: `12.5, 41.6`. A dash for what was not measured. */
export function figures(values: readonly (number | null)[] | null): string {
  return values === null ? figure(null) : values.map(figure).join(", ");
}
