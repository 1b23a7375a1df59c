import type { Wait, Waiter } from "@dt/core/kit";
import { type Bug, bug } from "../../bugs/bug.ts";
import type { Replacements, Seams } from "../../bugs/seams.ts";
import { sleepUnseen } from "./client-bugs.ts";

type Caller = NonNullable<ReturnType<InstanceType<Seams["pacer/permit-lane.ts"]["PermitLane"]>["takeUnserved"]>>;
type Instants = Parameters<InstanceType<Seams["pacer/permit-lane.ts"]["PermitLane"]>["add"]>[0];
type Asked = Parameters<InstanceType<Seams["pacer/permit-client.ts"]["PermitClient"]>["reserve"]>[0];
type Timed = Awaited<ReturnType<InstanceType<Seams["pacer/permit-client.ts"]["PermitClient"]>["reserve"]>>;

/** Faults of those who wait for permits, and of the instants that are there for them. */
export const LINE_BUGS: readonly Bug[] = [
  // Of a line's last only a lane asks, which takes it out when an instant was wasted.
  bug("first-queues-again", "after a waste the first caller queues again in place of the last", {
    "kit/fifo.ts": {
      Fifo: ({ Fifo }) =>
        class<T extends object> extends Fifo<T> {
          override get last(): T | undefined {
            return this.first;
          }
        },
    },
  }),
  bug("queues-at-the-end", "after a waste a caller queues behind those that came later", {
    "kit/waiting-line.ts": {
      WaitingLine: ({ WaitingLine }) =>
        class<Answer, Want extends Wait = Wait> extends WaitingLine<Answer, Want> {
          readonly #putLast: (put: () => void) => void;
          constructor(options: ConstructorParameters<typeof WaitingLine<Answer, Want>>[0]) {
            const own = { ...options };
            super(own);
            this.#putLast = (put) => {
              own.order = "lifo";
              put();
              own.order = "fifo";
            };
          }
          override putBack(waiter: Waiter<Answer, Want>): void {
            this.#putLast(() => super.putBack(waiter));
          }
        },
    },
  }),
  bug("never-looks-whether-it-slept", "uses what it held when its machine was suspended", {
    "pacer/permit-line.ts": {
      PermitLine: ({ PermitLine }) =>
        class extends PermitLine {
          constructor(...[settings, client, events]: ConstructorParameters<typeof PermitLine>) {
            super({ ...settings, runtime: sleepUnseen(settings.runtime) }, client, events);
          }
        },
    },
  }),
  bug("silent-waste", "does not count what is wasted", {
    "pacer/permit-line.ts": {
      PermitLine: ({ PermitLine }) =>
        class extends PermitLine {
          override get wasted(): number {
            return 0;
          }
        },
    },
  }),
  bug("retry-once", "after a refusal nobody asks again", {
    "pacer/back-off.ts": {
      BackOff: ({ BackOff }) =>
        class extends BackOff {
          override wait(): void {
            super.wait(Number.MAX_SAFE_INTEGER);
          }
          override hint(): void {}
        },
    },
  }),
  bug("any-lane", "takes an instant of whatever cost", {
    "pacer/permit-lanes.ts": {
      PermitLanes: ({ PermitLanes }) =>
        class extends PermitLanes {
          override of(): ReturnType<InstanceType<typeof PermitLanes>["of"]> {
            const [first] = this;
            return first;
          }
        },
    },
  }),
  bug("timer-outlives-close", "close leaves the timer of the next instant", {
    "pacer/permit-lanes.ts": {
      PermitLanes: ({ PermitLanes }) =>
        class extends PermitLanes {
          override arm(): void {
            super.disarm();
            super.arm();
          }
          override disarm(): void {}
        },
    },
  }),
  bug("keeps-what-callers-left", "does not give back the instants of callers that gave up", {
    "pacer/permit-lane.ts": givingBack((drop, sentAway) => (sentAway ? drop() : new Map())),
  }),
  bug("drops-what-it-held", "does not give back what it held when its machine was suspended", droppingWhatItHeld()),
  bug("stays-in-line", "a closed pacer stays in line at the store", stayingInLine()),
];

/**
 * Lanes that do not do what they should about the instants that are spare; told whether everybody was sent away before.
 */
function givingBack(
  dropSpare: (drop: () => Map<string, number>, sentAway: boolean) => Map<string, number>,
): Replacements<"pacer/permit-lane.ts"> {
  return {
    PermitLane: ({ PermitLane }) =>
      class extends PermitLane {
        #sentAway = false;
        override add(instants: Instants): void {
          this.#sentAway = false;
          super.add(instants);
        }
        override drain(): Caller[] {
          this.#sentAway = true;
          return super.drain();
        }
        override dropSpare(): Map<string, number> {
          return dropSpare(() => super.dropSpare(), this.#sentAway);
        }
      },
  };
}

/** The real line, and whether it is just closing. */
function tellingOfClose(): {
  readonly isClosing: () => boolean;
  readonly replacements: Replacements<"pacer/permit-line.ts">;
} {
  let closing = false;
  return {
    isClosing: () => closing,
    replacements: {
      PermitLine: ({ PermitLine }) =>
        class extends PermitLine {
          override close(error: unknown): Promise<void> {
            closing = true;
            const closed = super.close(error);
            closing = false;
            return closed;
          }
        },
    },
  };
}

/** Everybody is sent away when the machine was suspended, and when the line closes. */
function droppingWhatItHeld(): Bug["breaks"] {
  const { isClosing, replacements } = tellingOfClose();
  return {
    "pacer/permit-line.ts": replacements,
    "pacer/permit-lane.ts": givingBack((drop, sentAway) => {
      const kept = drop();
      return sentAway && !isClosing() ? new Map() : kept;
    }),
  };
}

/** What is in line is given back as ever, except when the line closes. */
function stayingInLine(): Bug["breaks"] {
  const { isClosing, replacements } = tellingOfClose();
  return {
    "pacer/permit-line.ts": replacements,
    "pacer/permit-client.ts": {
      PermitClient: ({ PermitClient }) =>
        class extends PermitClient {
          readonly #inLine = new Set<string>();
          override async reserve(asked: Asked, signal?: AbortSignal): Promise<Timed> {
            this.#inLine.delete(asked.id);
            const timed = await super.reserve(asked, signal);
            if (timed.reservation.granted === 0) this.#inLine.add(asked.id);
            return timed;
          }
          override release(id: string, keep: number): void {
            if (!(isClosing() && this.#inLine.has(id))) super.release(id, keep);
          }
        },
    },
  };
}
