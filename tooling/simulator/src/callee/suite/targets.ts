/** What a limiter is to reach in a scenario, on the mean of the seeds. */
export interface Target {
  readonly goodput: number;
  readonly p99: number;
  readonly settleSeconds?: number;
  readonly jain?: number;
  /** Of the calls sent: those that time out, and those that the callee refuses, at most. */
  readonly timeouts?: number;
  readonly refused?: number;
  /** Cost sent over what the callee can do, at most. */
  readonly sent?: number;
}

interface Targets {
  readonly signal: Target;
  readonly latencyOnly: Target;
}

const STEADY: Targets = {
  signal: { goodput: 0.99, p99: 1.15, settleSeconds: 2, timeouts: 0 },
  latencyOnly: { goodput: 0.97, p99: 1.3, settleSeconds: 3 },
};

const both = (target: Target): Targets => ({ signal: target, latencyOnly: target });

const SMALL: Targets = both({ goodput: 0.96, p99: 3.5, settleSeconds: 5 });

const TARGETS: Readonly<Record<string, Targets>> = {
  S1: STEADY,
  S2: STEADY,
  S3: STEADY,
  S4: both({ goodput: 0.97, p99: 1.1, settleSeconds: 2 }),
  S5: {
    signal: { goodput: 0.99, p99: 1.15, settleSeconds: 5, jain: 0.98 },
    latencyOnly: { goodput: 0.98, p99: 1.8, settleSeconds: 5, jain: 0.95 },
  },
  S6: STEADY,
  S7: both({ goodput: 0.97, p99: 1.3, settleSeconds: 4 }),
  S8: both({ goodput: 0.98, p99: 1.15 }),
  // W1 to W8: what the best of all algorithms reaches, less 2 points and 0.02. A queue of a few calls is a
  // long wait at a callee of one server.
  W1: SMALL,
  W2: SMALL,
  W3: SMALL,
  W4: SMALL,
  W5: both({ goodput: 0.98, p99: 1.3, settleSeconds: 3, jain: 0.97 }),
  W6: both({ goodput: 0.98, p99: 2.5, settleSeconds: 3, jain: 0.97 }),
  W7: both({ goodput: 0.98, p99: 1.3, settleSeconds: 2 }),
  W8: both({ goodput: 0.87, p99: 4, settleSeconds: 11, jain: 0.97 }),
  T1: both({ goodput: 0.98, p99: Number.POSITIVE_INFINITY, settleSeconds: 10, sent: 1.2 }),
  S9: both({ goodput: 0.98, p99: 1.15, refused: 0.03 }),
};

export function targetOf(scenario: string, signal: boolean): Target | undefined {
  const targets = TARGETS[scenario];
  return signal ? targets?.signal : targets?.latencyOnly;
}

type Reached = { readonly [K in keyof Required<Target>]: number };

/** What is missing, in words; empty when everything was reached. */
export function missedBy(target: Target, reached: Reached): string[] {
  const missed: string[] = [];
  for (const name of ["goodput", "jain"] as const) {
    const wanted = target[name];
    if (wanted !== undefined && reached[name] < wanted) missed.push(`${name} ${show(wanted - reached[name])} short`);
  }
  for (const name of ["p99", "settleSeconds", "timeouts", "refused", "sent"] as const) {
    const most = target[name];
    if (most !== undefined && reached[name] > most) missed.push(`${name} ${show(reached[name] - most)} over`);
  }
  return missed;
}

const show = (value: number): string => (value < 0.01 ? value.toFixed(4) : value.toFixed(value < 1 ? 3 : 1));
