import type { HistoryEntry } from "./history.ts";
import type { Recorder } from "./recorded-store.ts";

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
