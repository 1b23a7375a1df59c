/** Three significant digits and thousands separators: `1,234`, `41.6`, `0.93`. */
export function figure(value: number): string {
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

/** A ratio: `1.25x`. */
export function ratio(value: number): string {
  return `${figure(value)}x`;
}
