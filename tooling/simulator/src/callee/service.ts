import type { Service } from "./scenario.ts";

/** A distribution of service times. */
export interface ServiceTimes {
  readonly meanMs: number;
  /** The time below which this part of the calls lies: with a random part, a random time. */
  at(part: number): number;
}

export function serviceTimes(service: Service): ServiceTimes {
  switch (service.kind) {
    case "fixed":
      return { meanMs: service.ms, at: () => service.ms };
    case "exponential":
      return { meanMs: service.meanMs, at: (part) => -service.meanMs * Math.log1p(-part) };
    case "bimodal": {
      const { fastMs, slowMs, slowShare } = service;
      return {
        meanMs: fastMs + slowShare * (slowMs - fastMs),
        at: (part) => (part < 1 - slowShare ? fastMs : slowMs),
      };
    }
    case "lognormal": {
      const { medianMs, spread } = service;
      return {
        meanMs: medianMs * Math.exp(spread ** 2 / 2),
        at: (part) => medianMs * Math.exp(spread * normalQuantile(part)),
      };
    }
  }
}

/** Below this part, and above one minus it, the tails begin. */
const TAIL = 0.02425;

/** The inverse of the normal distribution, after Acklam: relative error below 1.2e-9. */
function normalQuantile(part: number): number {
  const p = Math.min(Math.max(part, 1e-12), 1 - 1e-12);
  if (p < TAIL) return tail(Math.sqrt(-2 * Math.log(p)));
  if (p > 1 - TAIL) return -tail(Math.sqrt(-2 * Math.log1p(-p)));
  const q = p - 0.5;
  const r = q * q;
  const above =
    ((((-39.69683028665376 * r + 220.9460984245205) * r - 275.9285104469687) * r + 138.357751867269) * r -
      30.66479806614716) *
      r +
    2.506628277459239;
  const below =
    ((((-54.47609879822406 * r + 161.5858368580409) * r - 155.6989798598866) * r + 66.80131188771972) * r -
      13.28068155288572) *
      r +
    1;
  return (above * q) / below;
}

function tail(q: number): number {
  const above =
    ((((-0.007784894002430293 * q - 0.3223964580411365) * q - 2.400758277161838) * q - 2.549732539343734) * q +
      4.374664141464968) *
      q +
    2.938163982698783;
  const below =
    (((0.007784695709041462 * q + 0.3224671290700398) * q + 2.445134137142996) * q + 3.754408661907416) * q + 1;
  return above / below;
}
