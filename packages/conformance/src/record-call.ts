import type { LeasedUnits } from "./budgets/leased-units.ts";
import type { HistoryEntry } from "./history.ts";
import type { GroupFloor, Violation } from "./invariants.ts";
import type { IssuedPermits } from "./permits/issued-permits.ts";
import type { GroupUse } from "./use/group-use.ts";

/** What the stores of one case share. */
export interface Recorder {
  /** Milliseconds since the case began. */
  now(): number;
  readonly history: HistoryEntry[];
  /** The newest time and generation answered for each group. */
  readonly floors: Map<string, GroupFloor>;
  /** What the members of each group may use. */
  readonly uses: Map<string, GroupUse>;
  /** The permits answered for each key. */
  readonly permits: Map<string, IssuedPermits>;
  /** The leases answered for each budget. */
  readonly budgets: Map<string, LeasedUnits>;
  /** How far the answers of two stores at one instant may lie apart. */
  readonly clockErrorMs: number;
  /** Settles as the call does, or fails it as a breach of R16 when it does not settle in time. */
  guard<T>(what: string, call: Promise<T>): Promise<T>;
  /** Notes a broken rule and gives the error to throw. */
  violated(violation: Violation): Error;
  /** Notes a broken rule, unless there is one already, for the end of the case. */
  note(violation: Violation): void;
}

/** Runs a call and writes it down with its times and what became of it. */
export async function recordCall<T>(
  recorder: Recorder,
  call: Pick<HistoryEntry, "store" | "call" | "subject"> & { readonly args?: object | undefined },
  run: () => Promise<T>,
): Promise<T> {
  const { args, ...rest } = call;
  const entry: HistoryEntry = { startMs: recorder.now(), ...rest, ...(args && { args: { ...args } }) };
  recorder.history.push(entry);
  try {
    const result = await recorder.guard(call.call, started(run));
    entry.endMs = recorder.now();
    if (typeof result === "object") entry.result = result;
    return result;
  } catch (error) {
    entry.endMs = recorder.now();
    entry.error = describeError(error);
    throw error;
  }
}

/**
 * Calls the store; a store that throws instead of rejecting is treated as one that rejects (cases of R16 look closer).
 */
function started<T>(run: () => Promise<T>): Promise<T> {
  try {
    return Promise.resolve(run());
  } catch (error) {
    return Promise.reject(error);
  }
}

function describeError(error: unknown): NonNullable<HistoryEntry["error"]> {
  if (!(error instanceof Error)) return { name: typeof error, message: String(error) };
  const { code, effect } = error as { code?: unknown; effect?: unknown };
  return {
    name: error.name,
    ...(typeof code === "string" && { code }),
    ...(typeof effect === "string" && { effect }),
    message: error.message.split("\n", 1)[0] as string,
  };
}
