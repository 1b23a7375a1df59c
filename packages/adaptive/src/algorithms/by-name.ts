import { invalidOption, nearestName } from "@dt/core/internal";
import { aimd } from "./aimd.ts";
import type { LimitAlgorithm } from "./algorithm.ts";
import { automatic } from "./automatic.ts";
import { bbr } from "./bbr.ts";
import type { LimitBounds } from "./bounds.ts";
import { envoyGradient } from "./envoy-gradient.ts";
import { gradient2 } from "./gradient2.ts";
import { queueWait } from "./queue-wait.ts";
import { vegas } from "./vegas.ts";

/** The algorithms that can be given by name. */
export type AlgorithmName = "automatic" | "queue-wait" | "aimd" | "gradient2" | "envoy-gradient" | "vegas" | "bbr";

const FACTORIES: Readonly<Record<AlgorithmName, (bounds?: LimitBounds) => LimitAlgorithm>> = {
  automatic,
  "queue-wait": queueWait,
  aimd,
  gradient2,
  "envoy-gradient": envoyGradient,
  vegas,
  bbr,
};

/** The names of all algorithms, the default first. */
export const algorithmNames = Object.keys(FACTORIES) as readonly AlgorithmName[];

/**
 * The algorithm of a name, with its defaults except for the bounds.
 * @param name the algorithm's name
 * @param bounds the least and the most that the limit may be
 * @throws DtError `DT_INVALID_OPTION` when there is none of that name.
 * @example const algorithm = algorithmByName("vegas", { max: 200 });
 */
export function algorithmByName(name: AlgorithmName, bounds: LimitBounds = {}): LimitAlgorithm {
  const known = new Set<string>(algorithmNames);
  if (!known.has(name)) {
    const meant = nearestName(name, known);
    const hint = meant === undefined ? "" : `did you mean ${meant}? `;
    throw invalidOption("algorithm", name, `${hint}give one of ${algorithmNames.join(", ")}, or an algorithm`);
  }
  return FACTORIES[name](bounds);
}
