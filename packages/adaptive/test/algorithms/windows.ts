import type { LimitAlgorithm, LimitState, SampleWindow } from "../../src/index.ts";

/** A window of 100 ms in which the limit was reached, and nothing else happened. */
export function seen(window: Partial<SampleWindow> = {}): SampleWindow {
  const startMs = window.startMs ?? 0;
  const meanMs = window.meanMs ?? 50;
  return {
    startMs,
    endMs: startMs + 100,
    samples: 60,
    successCost: 60,
    minMs: meanMs,
    floorMs: window.minMs ?? meanMs,
    meanMs,
    medianMs: meanMs,
    p90Ms: meanMs,
    overloads: 0,
    overloadCost: 0,
    maxInflight: 20,
    limited: true,
    reports: 0,
    queueWaitMs: Number.NaN,
    unqueued: 0,
    ...window,
  };
}

/** What `state` becomes when `count` windows follow each other, each made from the limit at its beginning. */
export function after<State extends LimitState>(
  algorithm: LimitAlgorithm<State>,
  state: State,
  count: number,
  window: (state: State) => Partial<SampleWindow>,
  fromMs = 0,
): State {
  let next = state;
  for (let i = 0; i < count; i++) {
    const partial = window(next);
    next = algorithm.next(next, seen({ startMs: fromMs + 100 * i, maxInflight: next.limit, ...partial }), () => 0.5);
  }
  return next;
}

/** A callee with so many servers: beyond them calls wait, and its rate grows no more. */
export function callee(servers: number, serviceMs: number, spreadMs = 0) {
  return ({ limit }: LimitState): Partial<SampleWindow> => {
    const rate = Math.min(limit, servers) / serviceMs;
    const latencyMs = limit / rate;
    const cost = 100 * rate;
    return {
      samples: Math.round(cost),
      successCost: cost,
      minMs: latencyMs - spreadMs,
      meanMs: latencyMs,
      medianMs: latencyMs,
    };
  };
}
