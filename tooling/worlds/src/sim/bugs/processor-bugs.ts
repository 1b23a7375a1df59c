import { type Bug, bug } from "./bug.ts";

const HOLDING = "consensus/holding.ts";
const MEMBERSHIP = "consensus/membership.ts";
const EXCHANGE = "consensus/exchange.ts";
const CLOCK = "consensus/store-clock.ts";
const ALLOWANCE = "throttle/allowance.ts";
const LIFECYCLE = "throttle/lifecycle.ts";
const ALLOTMENT = "shares/allotment.ts";
const GRANTS = "throttle/grants.ts";

/** Faults of the processor's side. */
export const PROCESSOR_BUGS: readonly Bug[] = [
  bug(
    "raise-in-same-epoch",
    "a raise starts in the epoch in which it was answered",
    EXCHANGE,
    "Math.floor((view.storeTimeMs + aheadMs) / intervalMs) + 1)",
    "Math.floor((view.storeTimeMs + aheadMs) / intervalMs))",
  ),
  bug(
    "raise-without-clock-error",
    "a raise starts in the next epoch even when clocks may disagree on which that is",
    EXCHANGE,
    "Math.floor((view.storeTimeMs + aheadMs) / intervalMs) + 1)",
    "Math.floor(view.storeTimeMs / intervalMs) + (aheadMs >= 0 ? 1 : 2))",
  ),
  bug(
    "raise-not-reported",
    "raises still to start are missing from what is reported as held",
    HOLDING,
    "return this.#raises.reduce((most, raise) => Math.max(most, mostTokens(raise.basis)), mostTokens(this.#current));",
    "return mostTokens(this.#current);",
  ),
  bug(
    "remainder-not-reported",
    "the token of a remainder is missing from what is reported as held",
    HOLDING,
    'return basis.kind === "held" ? basis.tokens : largestShare(basis.capacity, basis.poolSize);',
    "return sureTokens(basis) + 0 * largestShare(1, 1);",
  ),
  bug(
    "remainder-kept",
    "a new generation does not take the token of a remainder away",
    HOLDING,
    'return basis.kind === "held" ? basis.tokens : fairShare(basis.capacity, basis.poolSize);',
    'return basis.kind === "held" ? basis.tokens : fairShare(basis.capacity, basis.poolSize) + 1;',
  ),
  bug(
    "kept-raise-hastened",
    "a new generation starts a raise at once that was still to start",
    HOLDING,
    'raises.push({ fromEpoch, basis: { kind: "held", tokens } });',
    'raises.push({ fromEpoch: 0 * fromEpoch, basis: { kind: "held", tokens } });',
  ),
  bug(
    "fair-ignored",
    "a new generation does not lower the share to fair",
    HOLDING,
    "const limit = Math.min(view.held, view.fair);",
    "const limit = view.held;",
  ),
  bug(
    "split-at-once",
    "the exact split is used as soon as the answer says agree",
    HOLDING,
    'this.#raises = [...this.#raises, { fromEpoch, basis: { kind: "agreed", capacity, poolSize, rank } }];',
    'this.#raises = [{ fromEpoch: 0 * fromEpoch, basis: { kind: "agreed", capacity, poolSize, rank } }];',
  ),
  bug(
    "split-kept-after-unknown",
    "the remainder and pending raises are claimed after the store lost its data",
    MEMBERSHIP,
    "this.holding.giveUpExtras();",
    "",
  ),
  bug(
    "expired-share-claimed",
    "a share past its validity is still reported and claimed",
    EXCHANGE,
    "return this.#settings.runtime.now() < this.validity.answeredUntilMs ? this.holding.held : 0;",
    "return this.holding.held;",
  ),
  bug(
    "expired-share-revived",
    "a share past its validity is used again as soon as the store answers",
    EXCHANGE,
    "if (ended) this.holding.clear();",
    "",
  ),
  bug(
    "observed-time-not-sent",
    "the store is not told which epoch has begun here",
    EXCHANGE,
    "return Math.max(this.#observedMs, this.#host.begunMs() - this.#settings.clockErrorMs + 1);",
    "return this.#observedMs;",
  ),
  bug(
    "validity-from-receive",
    "validity counts from the answer instead of from the request",
    EXCHANGE,
    "this.validity.renew(sentMs);",
    "this.validity.renew(receivedMs);",
  ),
  bug(
    "overslept-share-kept",
    "a member that was silent for longer than its stale age goes by its own clock, which stood still",
    EXCHANGE,
    "if (view.storeTimeMs - this.#heardMs >= staleAfterMs) this.endShare();",
    "if (view.storeTimeMs - this.#heardMs >= 1e6 * staleAfterMs) this.endShare();",
  ),
  {
    name: "late-answer-accepted",
    what: "an answer that comes after its deadline is acted on",
    changes: [
      {
        file: EXCHANGE,
        from: '    return this.#roundTrip("sync", { generation, claim: 0 }, (signal) => store.sync(group, member, report, signal));',
        to: `    const { runtime, storeTimeoutMs, clockErrorMs, intervalMs } = this.#settings;
    const sentMs = runtime.now();
    return this.#roundTrip("sync", { generation, claim: 0 }, (signal) => {
      const answer = store.sync(group, member, report, signal);
      answer.then(
        (view) => {
          if (isMember(view) && runtime.now() - sentMs > storeTimeoutMs)
            this.#accept(view, Math.floor((view.storeTimeMs + clockErrorMs) / intervalMs) + 1);
        },
        () => undefined,
      );
      return answer;
    });`,
      },
    ],
  },
  bug(
    "sequence-stands-still",
    "reports carry the number of the one before",
    EXCHANGE,
    "    const report = {\n      seq: ++this.#seq,",
    "    const report = {\n      seq: this.#seq,",
  ),
  bug(
    "rejoin-forgotten",
    "a process that comes back says that it is new",
    EXCHANGE,
    "const rejoin = this.#joinedBefore;",
    "const rejoin = false && this.#joinedBefore;",
  ),
  bug(
    "fenced-goes-on",
    "a fenced process keeps its share",
    MEMBERSHIP,
    '    this.#exchange.standing = "fenced";\n    this.#exchange.endShare();',
    '    this.#exchange.standing = "left";',
  ),
  bug(
    "clock-error-understated",
    "a slow round trip counts as if it told the store's time exactly",
    CLOCK,
    "const errorMs = (receivedMs - sentMs) / 2;",
    "const errorMs = (receivedMs - sentMs) / 50;",
  ),
  bug(
    "clock-one-way",
    "the answer is taken to be as old as the whole round trip",
    CLOCK,
    "const offsetMs = storeTimeMs - (sentMs + receivedMs) / 2;",
    "const offsetMs = storeTimeMs - sentMs + 200;",
  ),
  bug(
    "clock-never-corrected",
    "a store clock that has moved is not noticed",
    CLOCK,
    "if (errorMs > currentErrorMs && !contradicts) return false;",
    "if (errorMs > currentErrorMs || contradicts) return false;",
  ),
  bug(
    "epoch-goes-back",
    "a corrected clock takes the epoch back",
    ALLOWANCE,
    "if (epoch <= this.#epoch && !learnedClock) return;",
    "if (epoch === this.#epoch && !learnedClock) return;",
  ),
  bug(
    "raises-by-local-epochs",
    "raises start by the local clock while the store's is not known",
    ALLOWANCE,
    "if (clock.known) holding.advance(this.#epoch);",
    "holding.advance(this.#epoch);",
  ),
  bug(
    "validity-not-on-fast-path",
    "the fast path does not end with the validity",
    ALLOWANCE,
    "else this.untilMs = Math.min(this.#epochEndMs(), nowMs < validUntilMs ? validUntilMs : this.#holdEndMs(nowMs));",
    "else this.untilMs = Math.min(this.#epochEndMs(), 0 * validUntilMs + Number.POSITIVE_INFINITY);",
  ),
  bug(
    "validity-not-checked",
    "a share is used whether it is valid or not",
    ALLOWANCE,
    "if (this.valid(nowMs)) return holding.shareAt(level, this.#epoch);",
    "if (answeredUntilMs > 0) return holding.shareAt(level, this.#epoch);",
  ),
  {
    name: "drop-delayed",
    what: "a lowered share takes effect when a raise would, but is reported at once",
    changes: [
      {
        file: HOLDING,
        from: "this.#lower(limit);\n    if (limit > this.held)",
        to: `const before = this.#current;
    this.#lower(limit);
    if (!sameGeneration) {
      this.#raises = [{ fromEpoch: fromEpoch + 1, basis: this.#current }];
      this.#current = before;
    }
    if (limit > this.held)`,
      },
      {
        file: HOLDING,
        from: "return this.#raises.reduce((most, raise) => Math.max(most, mostTokens(raise.basis)), mostTokens(this.#current));",
        to: "return mostTokens(this.#raises.at(-1)?.basis ?? this.#current);",
      },
    ],
  },
  bug(
    "grants-while-leaving",
    "tokens are granted until the store has answered the farewell",
    LIFECYCLE,
    '    this.state = "stopping";\n    this.#allowance.open = false;\n    this.#allowance.untilMs = 0;',
    '    this.state = "stopping";',
  ),
  bug(
    "deposit-unbounded",
    "more can be given back than a grant has left",
    GRANTS,
    "const returned = Math.min(k, left);",
    "const returned = Math.max(k, 0 * left);",
  ),
  bug(
    "late-deposit-granted-again",
    "what comes back after its epoch is taken off what others were granted meanwhile",
    GRANTS,
    "if (turn !== allowance.turn) {",
    "if (turn !== allowance.turn && allowance.allotment.used < tokens) {",
  ),
  bug(
    "deposit-by-number-granted-again",
    "tokens that are given back by a number, which names no epoch, are granted again",
    ALLOTMENT,
    "this.#idle += accepted;",
    "this.#taken -= accepted;",
  ),
  bug(
    "allotment-restarts",
    "a changed share begins with nothing used",
    ALLOTMENT,
    "    this.#tokens = share.tokens;\n",
    "    if (share.tokens !== this.#tokens) this.begin();\n    this.#tokens = share.tokens;\n",
  ),
  bug(
    "released-beyond-share",
    "evenly released tokens do not end with the share",
    ALLOTMENT,
    "return Math.min(released, this.#tokens);",
    "return released;",
  ),
];
