/**
 * Whether `engines.node` (the form `>=20.19` or `>=20.19.1`, the only one used here) admits a version such as
 * "22.13.0".
 *
 * @throws Error for any other form, so that no package is left out by a misreading.
 */
export function admitsNode(range: string | undefined, version: string): boolean {
  const minimum = /^>=\s*(\d+(?:\.\d+){0,2})$/.exec(range ?? "")?.[1];
  if (minimum === undefined) throw new Error(`engines.node is "${range}"; write it as ">=20.19".`);
  const wanted = minimum.split(".").map(Number);
  const given = version.split(".").map(Number);
  for (const index of [0, 1, 2]) {
    const difference = (given[index] ?? 0) - (wanted[index] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}
