import { type Bug, bug } from "./bug.ts";
import type { Seams } from "./seams.ts";

type Allowance = InstanceType<Seams["throttle/allowance.ts"]["Allowance"]>;
type Grant = ReturnType<InstanceType<Seams["throttle/grants.ts"]["Grants"]>["of"]>;
type Share = Parameters<InstanceType<Seams["shares/allotment.ts"]["Allotment"]>["setShare"]>[0];

/** Tokens beyond the share that are released evenly with `released-beyond-share`. */
const BEYOND = 10;

/** Faults of what is granted of a share, and taken back. */
export const GRANT_BUGS: readonly Bug[] = [
  bug("epoch-goes-back", "a corrected clock takes the epoch back", {
    "throttle/begins-epoch.ts": {
      beginsEpoch: () => (epoch, current, learnedClock) => epoch !== current || learnedClock,
    },
  }),
  bug("raises-by-local-epochs", "raises start by the local clock while the store's is not known", {
    "throttle/allowance.ts": {
      Allowance: ({ Allowance }) =>
        class extends Allowance {
          readonly #letRaisesBegin: (nowMs: number) => void;
          constructor(...[settings, membership, events]: ConstructorParameters<typeof Allowance>) {
            super(settings, membership, events);
            this.#letRaisesBegin = (nowMs) =>
              membership.holding.advance(Math.floor(membership.clock.toStore(nowMs) / settings.intervalMs));
          }
          override refresh(nowMs: number, asked: boolean): void {
            this.#letRaisesBegin(nowMs);
            super.refresh(nowMs, asked);
          }
        },
    },
  }),
  bug("validity-not-on-fast-path", "the fast path does not end with the validity", {
    "throttle/allowance.ts": {
      Allowance: ({ Allowance }) =>
        class extends Allowance {
          readonly #epochEndMs: () => number;
          constructor(...[settings, membership, events]: ConstructorParameters<typeof Allowance>) {
            super(settings, membership, events);
            this.#epochEndMs = () => membership.clock.toLocal((this.epoch + 1) * settings.intervalMs);
          }
          override refresh(nowMs: number, asked: boolean): void {
            super.refresh(nowMs, asked);
            if (this.untilMs > 0) this.untilMs = this.#epochEndMs();
          }
        },
    },
  }),
  bug("validity-not-checked", "a share is used whether it is valid or not", {
    "throttle/allowance.ts": {
      Allowance: ({ Allowance }) =>
        class extends Allowance {
          readonly #answered: () => boolean;
          constructor(...[settings, membership, events]: ConstructorParameters<typeof Allowance>) {
            super(settings, membership, events);
            this.#answered = () => membership.answeredUntilMs > 0;
          }
          override valid(): boolean {
            return this.#answered();
          }
        },
    },
  }),
  bug("grants-while-leaving", "tokens are granted until the store has answered the farewell", {
    "throttle/lifecycle.ts": {
      Lifecycle: ({ Lifecycle }) =>
        class extends Lifecycle {
          readonly #allowance: Allowance;
          constructor(...[settings, membership, allowance, line]: ConstructorParameters<typeof Lifecycle>) {
            super(settings, membership, allowance, line);
            this.#allowance = allowance;
          }
          override stop(): Promise<void> {
            const { open, untilMs } = this.#allowance;
            const stopped = super.stop();
            if (this.state === "stopping") Object.assign(this.#allowance, { open, untilMs });
            return stopped;
          }
        },
    },
  }),
  bug("deposit-unbounded", "more can be given back than a grant has left", {
    "throttle/grants.ts": {
      Grants: ({ Grants }) =>
        class extends Grants {
          override of(tokens: number): Grant {
            const { epoch, deposit } = super.of(Number.MAX_SAFE_INTEGER);
            let left = tokens;
            return {
              tokens,
              epoch,
              deposit: (k = left) => {
                left -= k;
                return deposit(k);
              },
            };
          }
        },
    },
  }),
  bug("late-deposit-granted-again", "what comes back after its epoch is taken off what others were granted meanwhile", {
    "throttle/grants.ts": {
      Grants: ({ Grants }) =>
        class extends Grants {
          readonly #parts: ConstructorParameters<typeof Grants>;
          constructor(...parts: ConstructorParameters<typeof Grants>) {
            super(...parts);
            this.#parts = parts;
          }
          override of(tokens: number): Grant {
            const { epoch, deposit } = super.of(tokens);
            const [runtime, allowance, line] = this.#parts;
            const { allotment, turn } = allowance;
            let left = tokens;
            return {
              tokens,
              epoch,
              deposit: (k = left) => {
                const nowMs = runtime.now();
                if (nowMs >= allowance.untilMs) allowance.refresh(nowMs, false);
                const returned = Math.min(k, left);
                left -= returned;
                if (turn === allowance.turn || allotment.used < returned) return deposit(k);
                allotment.takeBack(returned);
                if (line.size > 0) line.serve();
                return returned;
              },
            };
          }
        },
    },
  }),
  bug(
    "deposit-by-number-granted-again",
    "tokens that are given back by a number, which names no epoch, are granted again",
    {
      "shares/allotment.ts": {
        Allotment: ({ Allotment }) =>
          class extends Allotment {
            override countIdle(n: number): number {
              const accepted = Math.min(n, this.used);
              this.takeBack(accepted);
              return accepted;
            }
          },
      },
    },
  ),
  bug("allotment-restarts", "a changed share begins with nothing used", {
    "shares/allotment.ts": {
      Allotment: ({ Allotment }) =>
        class extends Allotment {
          override setShare(share: Share, startMs: number, intervalMs: number, nowMs: number): void {
            if (share.tokens !== this.tokens) this.begin();
            super.setShare(share, startMs, intervalMs, nowMs);
          }
        },
    },
  }),
  bug("released-beyond-share", "evenly released tokens do not end with the share", {
    "shares/allotment.ts": {
      Allotment: ({ Allotment }) =>
        class extends Allotment {
          readonly #beyond: number;
          constructor(...[release, burst]: ConstructorParameters<typeof Allotment>) {
            super(release, burst);
            this.#beyond = release === "even" ? BEYOND : 0;
          }
          override get tokens(): number {
            return super.tokens - this.#beyond;
          }
          override setShare(share: Share, startMs: number, intervalMs: number, nowMs: number): void {
            super.setShare({ ...share, tokens: share.tokens + this.#beyond }, startMs, intervalMs, nowMs);
          }
        },
    },
  }),
];
