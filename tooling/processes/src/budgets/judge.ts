import type { CalleeCall } from "./callee.ts";
import type { Quota } from "./settings.ts";

/** The store forgot everything: windows that hold a part of this time may hold what is allowed once more. */
export interface Loss {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface Judgement {
  readonly calls: number;
  /** The most in a window, as a part of what the callee allows; windows that a loss of data excuses left out. */
  readonly mostRequests: number;
  readonly mostTokens: number;
  /** The most in a window that a loss of data excuses; 0 where there is none. */
  readonly mostAfterLoss: number;
  /** What calls cost beyond what they had reserved, together. */
  readonly overrun: number;
  readonly violations: readonly string[];
}

/**
 * Goes through the callee's books, window by window. No window holds more than is allowed, but for what the books of
 * the budget could not know: what calls of the window cost beyond what they had reserved, and what a store forgot.
 */
export function judge(calls: readonly CalleeCall[], quota: Quota, losses: readonly Loss[]): Judgement {
  const sorted = [...calls].sort((a, b) => a.beganMs - b.beganMs);
  const violations: string[] = [];
  let [mostRequests, mostTokens, mostAfterLoss] = [0, 0, 0];
  let [first, tokens, over] = [0, 0, 0];
  for (const [index, last] of sorted.entries()) {
    tokens += last.tokens;
    over += overrunOf(last);
    for (let oldest = sorted[first]; oldest && oldest.beganMs <= last.beganMs - quota.windowMs; ) {
      tokens -= oldest.tokens;
      over -= overrunOf(oldest);
      first += 1;
      oldest = sorted[first];
    }
    const requests = index + 1 - first;
    const fromMs = last.beganMs - quota.windowMs;
    const lost = losses.filter((loss) => loss.fromMs <= last.beganMs && loss.toMs >= fromMs).length;
    const used = [requests / quota.requests, tokens / quota.tokens] as const;
    if (lost > 0) mostAfterLoss = Math.max(mostAfterLoss, ...used);
    else [mostRequests, mostTokens] = [Math.max(mostRequests, used[0]), Math.max(mostTokens, used[1])];
    const mayRequests = quota.requests * (1 + lost);
    const mayTokens = quota.tokens * (1 + lost) + over;
    // Sums of fractions differ in their last digits.
    if (requests > mayRequests || tokens > mayTokens + 1e-6)
      violations.push(
        `${requests} requests and ${tokens.toFixed(0)} tokens in the window until ${last.beganMs.toFixed(0)} ms, where ${mayRequests} and ${mayTokens.toFixed(0)} were allowed`,
      );
  }
  const overrun = calls.reduce((sum, call) => sum + overrunOf(call), 0);
  return { calls: calls.length, mostRequests, mostTokens, mostAfterLoss, overrun, violations };
}

function overrunOf({ tokens, reserved }: CalleeCall): number {
  return Math.max(0, tokens - reserved);
}
