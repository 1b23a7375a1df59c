import type { AwaitedCandidate, SynchronousCandidate } from "../candidate.ts";

/** What everything synchronous is compared with. */
export const clockRead: SynchronousCandidate = {
  name: "performance.now()",
  keepsTime: true,
  configuration: "a bare clock read",
  prepare: async () => ({ operation: () => (performance.now() > 0 ? 1 : 0) }),
};

export const heldClockRead: SynchronousCandidate = {
  name: "performance.now(), held",
  keepsTime: true,
  configuration: "a clock read through a constant that holds the global `performance`, which is a getter",
  prepare: async () => {
    const clock = performance;
    return { operation: () => (clock.now() > 0 ? 1 : 0) };
  },
};

export const wallClockRead: SynchronousCandidate = {
  name: "Date.now()",
  keepsTime: true,
  configuration: "a bare read of the wall clock",
  prepare: async () => ({ operation: () => (Date.now() > 0 ? 1 : 0) }),
};

/** What everything awaited is compared with. */
export const emptyAwait: AwaitedCandidate = {
  name: "await undefined",
  keepsTime: false,
  configuration: "an empty await",
  prepare: async () => ({ operation: () => undefined }),
};

export const settledAwait: AwaitedCandidate = {
  name: "await of a settled promise",
  keepsTime: false,
  configuration: "the same promise each time: the least that awaiting any promise costs",
  prepare: async () => {
    const settled = Promise.resolve(1);
    return { operation: () => settled };
  },
};

export const settledAwaitOnTime: AwaitedCandidate = {
  name: "await of a settled promise after a clock read",
  keepsTime: true,
  configuration:
    "`performance.now()`, held, and then the same promise each time: the least that awaiting a limiter that keeps time costs",
  prepare: async () => {
    const clock = performance;
    const settled = Promise.resolve(1);
    return { operation: () => (clock.now() > 0 ? settled : undefined) };
  },
};
