import { VirtualRuntime } from "@dt/core/testing";

/** A seeded generator of numbers in [0, 1): the same seed and case give the same schedule. */
export function seededRandom(seed: number, salt: string): () => number {
  let state = seed >>> 0;
  for (const character of salt) state = (Math.imul(state, 31) + (character.codePointAt(0) as number)) >>> 0;
  const chance = new VirtualRuntime({ seed: state });
  return () => chance.random();
}
