import { type Quota, SlidingQuota } from "./sliding-quota.ts";

/** What a provider of a language model allows, each in a sliding window. */
export interface CallQuotas {
  /** Calls; without it any number. */
  readonly requests?: Quota | undefined;
  readonly tokens: Quota;
}

/** Which quota is in the way. */
export type LimitedBy = "requests" | "tokens";

/** A call that was refused: it counts nowhere. */
export interface RefusedCall {
  readonly admitted: false;
  /** The quota that is in the way for longest. */
  readonly limitedBy: LimitedBy;
  /** For how long, in milliseconds; infinite for a prompt of more tokens than the whole quota. */
  readonly waitMs: number;
}

/** A call that was admitted: its prompt counts. */
export interface AdmittedCall {
  readonly admitted: true;
  /** The call has ended: its output counts at the time of the call's beginning. A second end changes nothing. */
  end(outputTokens: number, nowMs: number): void;
}

/** How one quota stands. */
export interface QuotaStanding {
  readonly quota: Quota;
  readonly used: number;
  /** For how long something is counted still, in milliseconds. */
  readonly fullInMs: number;
}

/** What was counted: in the window that ends now, and since the beginning. */
export interface CallBooks {
  /** Admitted and not ended. */
  readonly inFlight: number;
  readonly peakInFlight: number;
  readonly promptTokens: number;
  readonly outputTokens: number;
  readonly requestsInWindow?: number;
  readonly tokensInWindow: number;
  /** The most in a window, in per cent of the quota. */
  readonly peakRequestsPercent?: number;
  readonly peakTokensPercent: number;
}

/**
 * Requests and tokens as a provider of a language model counts them. A call counts one request and the tokens of its
 * prompt when it is admitted, all or nothing, and the tokens of its output when it ends, at the time of its beginning.
 */
export class CallLimits {
  readonly #requests: SlidingQuota | undefined;
  readonly #tokens: SlidingQuota;
  #inFlight = 0;
  #peakInFlight = 0;
  #promptTokens = 0;
  #outputTokens = 0;

  constructor({ requests, tokens }: CallQuotas) {
    this.#requests = requests && new SlidingQuota(requests);
    this.#tokens = new SlidingQuota(tokens);
  }

  enter(promptTokens: number, nowMs: number): AdmittedCall | RefusedCall {
    const requestsMs = this.#requests?.waitMs(1, nowMs) ?? 0;
    const tokensMs = this.#tokens.waitMs(promptTokens, nowMs);
    const waitMs = Math.max(requestsMs, tokensMs);
    if (waitMs > 0) return { admitted: false, limitedBy: tokensMs > requestsMs ? "tokens" : "requests", waitMs };
    this.#requests?.count(1, nowMs);
    const use = this.#tokens.count(promptTokens, nowMs);
    this.#promptTokens += promptTokens;
    this.#inFlight += 1;
    this.#peakInFlight = Math.max(this.#peakInFlight, this.#inFlight);
    let over = false;
    const end = (outputTokens: number, endMs: number): void => {
      if (over) return;
      over = true;
      this.#inFlight -= 1;
      this.#outputTokens += outputTokens;
      this.#tokens.add(use, outputTokens, endMs);
    };
    return { admitted: true, end };
  }

  standing(what: LimitedBy, nowMs: number): QuotaStanding | undefined {
    const quota = what === "requests" ? this.#requests : this.#tokens;
    return quota && { quota: quota.quota, used: quota.used(nowMs), fullInMs: quota.fullInMs(nowMs) };
  }

  books(nowMs: number): CallBooks {
    const requests = this.#requests;
    return {
      inFlight: this.#inFlight,
      peakInFlight: this.#peakInFlight,
      promptTokens: this.#promptTokens,
      outputTokens: this.#outputTokens,
      ...(requests && { requestsInWindow: requests.used(nowMs) }),
      tokensInWindow: this.#tokens.used(nowMs),
      ...(requests && { peakRequestsPercent: peakPercent(requests) }),
      peakTokensPercent: peakPercent(this.#tokens),
    };
  }
}

/** To a tenth. */
function peakPercent({ peak, quota }: SlidingQuota): number {
  return Math.round((1_000 * peak) / quota.count) / 10;
}
