import type { Runtime } from "@dt/core";
import { type Bug, bug } from "../../bugs/bug.ts";
import type { Replacements, Seams } from "../../bugs/seams.ts";

type Client = Seams["pacer/permit-client.ts"]["PermitClient"];
type Settings = ConstructorParameters<Client>[0];
type Asked = Parameters<InstanceType<Client>["reserve"]>[0];
type Attempt = Awaited<ReturnType<InstanceType<Client>["attempt"]>>;
type Timed = Awaited<ReturnType<InstanceType<Client>["reserve"]>>;

/** Faults of what is said to the store of permits, and of attempts, which reserve nothing ahead. */
export const CLIENT_BUGS: readonly Bug[] = [
  bug("beyond-the-bound", "reserves three permits more ahead than maxReserved", {
    "pacer/permit-client.ts": asking((asked) =>
      isAttempt(asked) ? asked : { ...asked, maxReserved: asked.maxReserved + 3 },
    ),
  }),
  bug("no-line", "does not stand in line at the store", {
    "pacer/permit-client.ts": asking((asked) => ({ ...asked, queueMs: 0 })),
  }),
  bug("steals-ahead", "reserves ahead at another site", {
    "pacer/permit-client.ts": asking((asked) => (isAttempt(asked) ? { ...asked, maxReserved: 2 } : asked)),
  }),
  bug("margin-times-cost", "a strict pacer leaves half the margin after a permit of half the cost", {
    "pacer/permit-client.ts": withSettings((settings) => ({ ...settings, marginMs: 0 })),
  }),
  bug("asleep-with-an-attempt", "tryAcquire uses a permit whose answer came while its machine was suspended", {
    "pacer/permit-client.ts": withSettings((settings) => ({ ...settings, runtime: sleepUnseen(settings.runtime) })),
  }),
  bug("forgets-lost-replies", "does not give back a request whose reply was lost", {
    "pacer/permit-client.ts": forgettingLost((asked) => !isAttempt(asked)),
  }),
  bug("forgets-lost-attempts", "does not give back an attempt whose reply was lost", {
    "pacer/permit-client.ts": forgettingLost(isAttempt),
  }),
  bug("late-attempt", "tryAcquire uses a permit however late its answer", {
    "pacer/permit-client.ts": {
      PermitClient: ({ PermitClient }) =>
        class extends PermitClient {
          override async reserve(asked: Asked, signal?: AbortSignal): Promise<Timed> {
            const timed = await super.reserve(asked, signal);
            return isAttempt(asked) ? { ...timed, sentMs: Number.POSITIVE_INFINITY } : timed;
          }
        },
    },
  }),
  bug("keeps-unwanted-stolen", "keeps what it took from another site for nobody", {
    "pacer/permit-client.ts": {
      PermitClient: ({ PermitClient }) =>
        class extends PermitClient {
          readonly #taken = new Set<string>();
          override async attempt(cost: number, signal?: AbortSignal): Promise<Attempt> {
            const attempt = await super.attempt(cost, signal);
            if ("id" in attempt) this.#taken.add(attempt.id);
            return attempt;
          }
          override release(id: string, keep: number): void {
            if (!this.#taken.has(id)) super.release(id, keep);
          }
        },
    },
  }),
  bug("same-request-other-cost", "stands in line with the request of a caller of another cost, who left", {
    "pacer/permit-client.ts": {
      PermitClient: ({ PermitClient }) =>
        class extends PermitClient {
          /** Requests in line at the store. */
          readonly #inLine = new Set<string>();
          /**
           * Has just left the line, which the store has not been told yet: the next request takes its place if it comes
           * at once.
           */
          #left: string | undefined;
          /** The id under which a request stands at the store that took another one's place. */
          readonly #places = new Map<string, string>();

          override async reserve(asked: Asked, signal?: AbortSignal): Promise<Timed> {
            if (this.#left !== undefined && !isAttempt(asked)) {
              this.#places.set(asked.id, this.#left);
              this.#left = undefined;
            }
            const id = this.#places.get(asked.id) ?? asked.id;
            this.#inLine.delete(id);
            const timed = await super.reserve({ ...asked, id }, signal);
            if (timed.reservation.granted === 0 && !isAttempt(asked)) this.#inLine.add(id);
            return timed;
          }

          override release(asked: string, keep: number): void {
            const id = this.#places.get(asked) ?? asked;
            if (this.#inLine.delete(id)) {
              this.#left = id;
              queueMicrotask(() => this.#tellLeft());
            } else super.release(id, keep);
          }

          #tellLeft(): void {
            if (this.#left !== undefined) super.release(this.#left, 0);
            this.#left = undefined;
          }
        },
    },
  }),
];

/** An attempt never stands in line. */
function isAttempt({ queueMs }: Asked): boolean {
  return queueMs === 0;
}

/** A client that asks for something else than it is told to. */
function asking(change: (asked: Asked) => Asked): Replacements<"pacer/permit-client.ts"> {
  return {
    PermitClient: ({ PermitClient }) =>
      class extends PermitClient {
        override reserve(asked: Asked, signal?: AbortSignal): Promise<Timed> {
          return super.reserve(change(asked), signal);
        }
      },
  };
}

function withSettings(change: (settings: Settings) => Settings): Replacements<"pacer/permit-client.ts"> {
  return {
    PermitClient: ({ PermitClient }) =>
      class extends PermitClient {
        constructor(...[settings, assure]: ConstructorParameters<Client>) {
          super(change(settings), assure);
        }
      },
  };
}

/** A client that gives nothing back of those requests whose outcome it does not know. */
function forgettingLost(concerns: (asked: Asked) => boolean): Replacements<"pacer/permit-client.ts"> {
  return {
    PermitClient: ({ PermitClient }) =>
      class extends PermitClient {
        readonly #lost = new Set<string>();
        override async reserve(asked: Asked, signal?: AbortSignal): Promise<Timed> {
          try {
            return await super.reserve(asked, signal);
          } catch (error) {
            if (concerns(asked)) this.#lost.add(asked.id);
            throw error;
          }
        }
        override release(id: string, keep: number): void {
          if (!this.#lost.has(id)) super.release(id, keep);
        }
      },
  };
}

/** The same clock, timers and chance, without the clock that tells of suspensions. */
export function sleepUnseen(runtime: Runtime): Runtime {
  return {
    now: () => runtime.now(),
    setTimer: (...said) => runtime.setTimer(...said),
    random: () => runtime.random(),
  };
}
