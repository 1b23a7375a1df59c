import { type DtError, isDtError, type MemberView, type Report } from "@dt/core";
import { VirtualRuntime } from "@dt/core/testing";
import { type PodCountOptions, podCountStore } from "@dt/pod-count";
import { onTestFinished } from "vitest";
import { ManualSource } from "./manual-source.ts";

/** A stale age of 10 s, a lag of 6 s: whatever raises a share waits for 16 s. */
export const SETTLE_MS = 16_000;
export const registration = {
  id: "p",
  incarnation: "boot",
  seq: 1,
  rejoin: false,
  claim: 0,
  max: 100,
  intervalMs: 1_000,
  staleAfterMs: 10_000,
  learningMs: 0,
  level: null,
  resumeWithinMs: 0,
  observedMs: 0,
};

/** A store on a source that the test speaks for, in virtual time. */
export function setUp(options: Partial<PodCountOptions> = {}, source = new ManualSource()) {
  const runtime = new VirtualRuntime({ startMs: 1_000 });
  const errors: string[] = [];
  const store = podCountStore({
    source,
    ordinal: "none",
    runtime,
    onError: (error) => errors.push(`${error.code}: ${error.message}`),
    ...options,
  });
  onTestFinished(() => store.close());
  let seq = 1;
  const sync = async (report: Partial<Report> = {}): Promise<MemberView> => {
    seq += 1;
    const whole = { seq, generation: 0, members: 0, held: 0, max: 100, level: null, ...report };
    const view = await store.sync("g", registration, whole);
    if (view.status !== "agree" && view.status !== "disagree") throw new Error(`answered ${view.status}`);
    return view;
  };
  /** Time passes, and the source confirms every second what it said last. */
  const pass = async (ms: number): Promise<void> => {
    for (let leftMs = ms; leftMs > 0; leftMs -= 1_000) {
      await runtime.advance(Math.min(leftMs, 1_000));
      source.confirm();
    }
  };
  return { runtime, source, store, sync, pass, errors };
}

/** The error that a call is refused with. */
export async function refusal(call: Promise<unknown>): Promise<DtError> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!isDtError(error)) throw new Error(`not refused: ${String(error)}`);
  return error;
}
