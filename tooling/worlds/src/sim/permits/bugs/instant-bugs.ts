import { type Bug, bug } from "../../bugs/bug.ts";

/** Faults of the instants that a process holds, in its own time. */
export const INSTANT_BUGS: readonly Bug[] = [
  bug("early", "counts the wait from when the request was sent", {
    "pacer/held-instants.ts": {
      heldInstants:
        ({ heldInstants }) =>
        (id, timed, permitTtlMs) =>
          heldInstants(id, { ...timed, receivedMs: timed.sentMs }, permitTtlMs),
    },
  }),
  bug("way-back-not-counted", "counts the life of a permit from the receipt of the answer", {
    "pacer/held-instants.ts": {
      heldInstants:
        ({ heldInstants }) =>
        (id, timed, permitTtlMs) =>
          heldInstants(id, { ...timed, sentMs: timed.receivedMs }, permitTtlMs),
    },
  }),
  bug("repeated-answer-is-fresh", "takes the instant of a repeated answer for one that has just come", {
    "pacer/held-instants.ts": {
      heldInstants:
        ({ heldInstants }) =>
        (id, timed, permitTtlMs) =>
          heldInstants(id, timed, permitTtlMs).map((instant) => {
            const pastMs = Math.max(0, timed.receivedMs - instant.dueMs);
            return { ...instant, dueMs: instant.dueMs + pastMs, expiresMs: instant.expiresMs + pastMs };
          }),
    },
  }),
  bug("gives-back-one-too-few", "keeps one instant more than it has callers", {
    "pacer/held-instants.ts": {
      HeldInstants: ({ HeldInstants }) =>
        class extends HeldInstants {
          override dropLatest(count: number): Map<string, number> {
            return new Map([...super.dropLatest(count)].map(([id, kept]) => [id, kept + 1]));
          }
        },
    },
  }),
  bug("gives-back-one-too-many", "gives back an instant that it goes on to use", {
    "pacer/held-instants.ts": {
      HeldInstants: ({ HeldInstants }) =>
        class extends HeldInstants {
          override dropLatest(count: number): Map<string, number> {
            return new Map([...super.dropLatest(count)].map(([id, kept]) => [id, Math.max(0, kept - 1)]));
          }
        },
    },
  }),
  bug("never-expires", "uses a permit however late", {
    "pacer/permit-lane.ts": {
      PermitLane: ({ PermitLane }) =>
        class extends PermitLane {
          override take(): ReturnType<InstanceType<typeof PermitLane>["take"]> {
            return super.take(Number.NEGATIVE_INFINITY);
          }
        },
    },
  }),
];
