/**
 * What members want, counted (R21). A want stands on a grid, so that there are few different ones however many members
 * there are, and so that a change of demand by a few percent changes nothing. Whole numbers only: Lua, SQL and
 * JavaScript must come to the same.
 */

/** How many members want so many tokens. */
export type WantCount = readonly [want: number, members: number];

/** The different wants of a group and who has them, the smallest first. Members that share evenly are not in it. */
export type Wants = readonly WantCount[];

/** Steps of the grid between a number and its double; below twice as many, every whole number is on it. */
const STEPS = 8;

/** The next want on the grid that is not below so many tokens. Up to 304 different ones make all there are. */
export function wantOnGrid(tokens: number): number {
  let step = 1;
  while (tokens >= 2 * STEPS * step) step *= 2;
  return Math.ceil(tokens / step) * step;
}

/** The place of a want on the grid. Neighbours are 1 apart. */
export function placeOnGrid(want: number): number {
  let [step, octave] = [1, 0];
  while (want >= 2 * STEPS * step) {
    step *= 2;
    octave += 1;
  }
  return octave * STEPS + want / step;
}

/** The counts with `by` more members that want this much; null for members that share evenly. */
export function counted(wants: Wants, want: number | null, by: number): Wants {
  if (want === null) return wants;
  const at = wants.findIndex(([other]) => other >= want);
  const place = at < 0 ? wants.length : at;
  const known = wants[place]?.[0] === want ? (wants[place] as WantCount)[1] : 0;
  const members = known + by;
  const entry: Wants = members > 0 ? [[want, members]] : [];
  return [...wants.slice(0, place), ...entry, ...wants.slice(known > 0 ? place + 1 : place)];
}

/** The counts of these members. */
export function wantsOf(members: Iterable<{ readonly want: number | null }>): Wants {
  const counts = new Map<number, number>();
  for (const { want } of members) if (want !== null) counts.set(want, (counts.get(want) ?? 0) + 1);
  return [...counts].sort(([a], [b]) => a - b);
}
