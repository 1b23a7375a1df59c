import type { CoordinationStore, Registration, Report, View } from "@dt/core";
import { type Bug, bug } from "./bug.ts";
import type { Replacements, Seams } from "./seams.ts";

type Exchange = InstanceType<Seams["consensus/exchange.ts"]["Exchange"]>;
type Settings = ConstructorParameters<Seams["consensus/exchange.ts"]["Exchange"]>[0];

/** Faults of what is said to the store, and of what follows from its answers. */
export const EXCHANGE_BUGS: readonly Bug[] = [
  bug("expired-share-claimed", "a share past its validity is still reported and claimed", {
    "consensus/exchange.ts": saying((exchange) => ({
      register: (registration) => ({ ...registration, claim: exchange().holding.held }),
      sync: (report) => ({ ...report, held: exchange().holding.held }),
    })),
  }),
  bug("expired-share-revived", "a share past its validity is used again as soon as the store answers", {
    "consensus/holding.ts": {
      Holding: ({ Holding }) =>
        class extends Holding {
          override clear(): void {}
        },
    },
    "consensus/exchange.ts": {
      Exchange: ({ Exchange }) =>
        class extends Exchange {
          override endShare(): void {
            super.endShare();
            const tokens = { kind: "held", tokens: 0 } as const;
            this.holding.restore({ ...this.holding.state, current: tokens, raises: [] });
          }
        },
    },
  }),
  bug("observed-time-not-sent", "the store is told no time that has come here but the one that it has answered", {
    "consensus/store-clock.ts": {
      StoreClock: ({ StoreClock }) =>
        class extends StoreClock {
          override passedMs(): number {
            return 0;
          }
        },
    },
    "throttle/allowance.ts": {
      Allowance: ({ Allowance }) =>
        class extends Allowance {
          override get begunMs(): number {
            return 0;
          }
        },
    },
  }),
  bug("validity-from-receive", "validity counts from the answer instead of from the request", {
    "consensus/validity.ts": {
      Validity: ({ Validity }) =>
        class extends Validity {
          readonly #runtime: Settings["runtime"];
          constructor(...[settings, host, clock]: ConstructorParameters<typeof Validity>) {
            super(settings, host, clock);
            this.#runtime = settings.runtime;
          }
          override renew(): void {
            super.renew(this.#runtime.now());
          }
        },
    },
  }),
  bug(
    "overslept-share-kept",
    "a member that was silent for longer than its stale age goes by its own clock, which stood still",
    { "consensus/exchange.ts": { Exchange: keepingOversleptShares } },
  ),
  bug("late-answer-accepted", "an answer that comes after its deadline is acted on", {
    "consensus/exchange.ts": {
      Exchange: ({ Exchange }) =>
        class extends Exchange {
          constructor(...[settings, host, calls, soon]: ConstructorParameters<typeof Exchange>) {
            const { store, runtime, storeTimeoutMs } = settings;
            const sync: CoordinationStore["sync"] = (...said) => {
              const sentMs = runtime.now();
              const answer = store.sync(...said);
              answer.then(
                (view) => runtime.now() - sentMs > storeTimeoutMs && act(view),
                () => undefined,
              );
              return answer;
            };
            super({ ...settings, store: { ...store, sync } }, host, calls, soon);
            const act = (view: View): void => {
              if (view.status !== "agree" && view.status !== "disagree") return;
              this.holding.accept(view);
              host.changed();
            };
          }
        },
    },
  }),
  bug("sequence-stands-still", "reports carry the number of the one before", {
    "consensus/exchange.ts": saying(() => {
      let last = 0;
      return {
        register: (registration) => {
          last = registration.seq;
          return registration;
        },
        sync: (report) => ({ ...report, seq: last }),
      };
    }),
  }),
  bug("rejoin-forgotten", "a process that comes back says that it is new", {
    "consensus/exchange.ts": saying(() => ({
      register: (registration) => ({ ...registration, rejoin: false }),
    })),
  }),
  bug("fenced-goes-on", "a fenced process keeps its share", {
    "consensus/membership.ts": {
      Membership: ({ Membership }) =>
        class extends Membership {
          override get standing(): Exchange["standing"] {
            return super.standing === "fenced" ? "left" : super.standing;
          }
        },
    },
    "consensus/exchange.ts": {
      Exchange: ({ Exchange }) =>
        class extends Exchange {
          override endShare(): void {
            if (this.standing !== "fenced") super.endShare();
          }
        },
    },
  }),
];

interface Sayings {
  readonly register?: (registration: Registration) => Registration;
  readonly sync?: (report: Report) => Report;
}

/** An exchange that says something else to the store than it means. */
export function saying(sayings: (exchange: () => Exchange) => Sayings): Replacements<"consensus/exchange.ts"> {
  return {
    Exchange: ({ Exchange }) =>
      class extends Exchange {
        constructor(...[settings, host, calls, soon]: ConstructorParameters<typeof Exchange>) {
          const { store } = settings;
          const { register = same, sync = same } = sayings(() => this);
          const other: CoordinationStore = {
            ...store,
            register: (group, registration, signal) => store.register(group, register(registration), signal),
            sync: (group, member, report, signal) => store.sync(group, member, sync(report), signal),
          };
          super({ ...settings, store: other }, host, calls, soon);
        }
      },
  };
}

function same<T>(said: T): T {
  return said;
}

/**
 * Shares end when the machine was seen to sleep, and when the process is fenced; not by the store's word that more time
 * went by than a member may be silent for.
 */
export function keepingOversleptShares({ Exchange }: Seams["consensus/exchange.ts"]): typeof Exchange {
  return class extends Exchange {
    #sleepSeen = false;

    override noticeSleep(): boolean {
      this.#sleepSeen = true;
      const slept = super.noticeSleep();
      this.#sleepSeen = false;
      return slept;
    }

    override endShare(): void {
      if (this.#sleepSeen || this.standing === "fenced") super.endShare();
    }
  };
}
