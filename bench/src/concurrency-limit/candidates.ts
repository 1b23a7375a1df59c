import type { ConcurrencyLimit } from "@dt/adaptive";
import type { AwaitedCandidate, Prepared, SynchronousCandidate } from "../hot-path/candidate.ts";
import { clockRead, emptyAwait, heldClockRead } from "../hot-path/candidates/floors.ts";

/** Calls that may be in flight at once: more than there ever are here. */
const ROOM = 100;

const configuration = `fixed(${ROOM}), its defaults otherwise: two clock reads, windows of samples, a look at the event loop`;

async function prepared<Operation>(make: (limit: ConcurrencyLimit) => Operation): Promise<Prepared<Operation>> {
  const { createConcurrencyLimit, fixed } = await import("@dt/adaptive");
  const limit = createConcurrencyLimit({ algorithm: fixed(ROOM) });
  return { operation: make(limit), close: () => limit.stop() };
}

export const ownSynchronous: SynchronousCandidate = {
  name: "@dt/adaptive tryAcquire + success",
  package: "@dt/adaptive",
  keepsTime: true,
  configuration,
  prepare: () =>
    prepared((limit) => () => {
      const slot = limit.tryAcquire();
      slot?.success();
      return slot === undefined ? 0 : 1;
    }),
};

export const ownAwaited: AwaitedCandidate = {
  name: "@dt/adaptive acquire + success",
  package: "@dt/adaptive",
  keepsTime: true,
  configuration,
  prepare: () =>
    prepared((limit) => async () => {
      const slot = await limit.acquire();
      slot.success();
    }),
};

export const ownWrapped: AwaitedCandidate = {
  name: "@dt/adaptive wrap",
  package: "@dt/adaptive",
  keepsTime: true,
  configuration: `${configuration}; around a function that does nothing, its outcome classified`,
  prepare: () => prepared((limit) => limit.wrap(nothing)),
};

const semaSynchronous: SynchronousCandidate = {
  name: "async-sema tryAcquire + release",
  package: "async-sema",
  keepsTime: false,
  configuration: `Sema(${ROOM}); no clock`,
  prepare: async () => {
    const { Sema } = await import("async-sema");
    const sema = new Sema(ROOM);
    const operation = (): number => {
      const token = sema.tryAcquire();
      sema.release();
      return token === undefined ? 0 : 1;
    };
    return { operation };
  },
};

const semaAwaited: AwaitedCandidate = {
  name: "async-sema acquire + release",
  package: "async-sema",
  keepsTime: false,
  configuration: `Sema(${ROOM}); no clock`,
  prepare: async () => {
    const { Sema } = await import("async-sema");
    const sema = new Sema(ROOM);
    const operation = async (): Promise<void> => {
      await sema.acquire();
      sema.release();
    };
    return { operation };
  },
};

const pLimit: AwaitedCandidate = {
  name: "p-limit",
  package: "p-limit",
  keepsTime: false,
  configuration: `pLimit(${ROOM}), around a function that does nothing; no clock`,
  prepare: async () => {
    const { default: create } = await import("p-limit");
    const limit = create(ROOM);
    return { operation: () => limit(nothing) };
  },
};

const cockatiel: AwaitedCandidate = {
  name: "cockatiel bulkhead",
  package: "cockatiel",
  keepsTime: false,
  configuration: `bulkhead(${ROOM}).execute of a function that does nothing; no clock`,
  prepare: async () => {
    const { bulkhead } = await import("cockatiel");
    const policy = bulkhead(ROOM);
    return { operation: () => policy.execute(nothing) };
  },
};

async function nothing(): Promise<void> {}

/** The first is what the others are compared with. */
export const slotsAtOnce: readonly SynchronousCandidate[] = [clockRead, heldClockRead, semaSynchronous, ownSynchronous];

/** Candidates whose slot is awaited, one call after the other; the first is what the others are compared with. */
export const slotsAwaited: readonly AwaitedCandidate[] = [
  emptyAwait,
  semaAwaited,
  pLimit,
  cockatiel,
  ownAwaited,
  ownWrapped,
];
