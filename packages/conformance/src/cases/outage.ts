import type { DtError } from "@dt/core";
import type { CaseContext } from "../context.ts";
import type { StoreFaults } from "../target.ts";

/** An adapter's own deadline is about a second; this leaves room for a busy machine. */
const SETTLE_MS = 2_500;

/** A way to take the server away and to bring it back. */
export interface Outage {
  /** What the server is meanwhile. */
  readonly state: string;
  begin(faults: StoreFaults): Promise<void> | undefined;
  end(faults: StoreFaults): Promise<void> | undefined;
}

export const PAUSED: Outage = {
  state: "paused",
  begin: (faults) => faults.pause?.(),
  end: (faults) => faults.resume?.(),
};

export const CUT_OFF: Outage = {
  state: "cut off",
  begin: (faults) => faults.partition?.(),
  end: (faults) => faults.heal?.(),
};

export const KILLED: Outage = {
  state: "killed",
  begin: (faults) => faults.kill?.(),
  end: (faults) => faults.restart?.({ keepData: true }),
};

/** Does something while the server is away, which is back in any case afterwards. */
export async function during<T>(
  context: CaseContext,
  { state, begin, end }: Outage,
  act: () => Promise<T>,
): Promise<T> {
  const { faults = {} } = context.target;
  context.note(`the server is ${state}`);
  await begin(faults);
  try {
    return await act();
  } finally {
    context.note(`the server is no longer ${state}`);
    await end(faults);
  }
}

/** The call must settle in time, and a failure must be one that R16 names: that, or undefined when it succeeded. */
export async function settles(
  context: CaseContext,
  what: string,
  call: Promise<unknown>,
): Promise<DtError | undefined> {
  const failed = call.then(
    () => false,
    () => true,
  );
  if (!(await context.within(what, context.ms(SETTLE_MS), failed))) return undefined;
  return context.refused(call, ["DT_STORE_TIMEOUT", "DT_STORE_UNAVAILABLE"], what);
}

/** A call that is given up during the outage settles soon. */
export async function settlesGivenUp(
  context: CaseContext,
  what: string,
  begin: (signal: AbortSignal) => Promise<unknown>,
): Promise<void> {
  const controller = new AbortController();
  const call = begin(controller.signal);
  const given = context.refused(call, ["DT_ABORTED", "DT_STORE_UNAVAILABLE"], `${what} given up during the outage`);
  controller.abort();
  await context.within(`${what} that was given up`, context.ms(500), given);
}

/** Waits until the store answers again, by itself. */
export async function answersAgain(context: CaseContext, ask: () => Promise<unknown>): Promise<void> {
  await context.until(
    () =>
      ask().then(
        () => true,
        () => undefined,
      ),
    "the store does not answer again although its server is back",
    100,
  );
}
