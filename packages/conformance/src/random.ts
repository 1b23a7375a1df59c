/** A seeded generator of numbers in [0, 1) (mulberry32): the same seed and case give the same schedule. */
export function seededRandom(seed: number, salt: string): () => number {
  let state = seed >>> 0;
  for (const character of salt) state = (Math.imul(state, 31) + (character.codePointAt(0) as number)) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
