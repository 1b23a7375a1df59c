import { setTimeout as sleep } from "node:timers/promises";
import { createThrottle, isDtError, type Throttle } from "@dt/core";
import { machineNow } from "../../machine-now.ts";
import { LogWriter } from "../history/log-writer.ts";
import { callers } from "./callers.ts";
import type { FromWorker, ToWorker, WorkerConfig } from "./config.ts";
import { openStore } from "./open-store.ts";
import { setWallClock } from "./wall-clock.ts";
import { WitnessGrants } from "./witness-grants.ts";
import { WitnessRuntime } from "./witness-runtime.ts";
import { WitnessStore } from "./witness-store.ts";

const JOIN_AGAIN_MS = 100;

/** Joins the group and takes everything it can, until it is told to leave, is fenced, or its parent is gone. */
export async function runWorker(config: WorkerConfig): Promise<void> {
  const { group, memberId, max, timings, caller, shares, release } = config;
  // Nothing may stay behind when the parent dies.
  process.once("disconnect", () => process.exit());
  const log = new LogWriter(config.log);
  log.write({ type: "boot", atMs: machineNow(), ...pick(config) });
  const runtime = new WitnessRuntime();
  const store = new WitnessStore(await openStore(config.store), log, runtime);
  const { losesData, clock } = store.capabilities;
  const throttle = createThrottle({
    name: group,
    memberId,
    max,
    shares,
    release,
    store,
    runtime,
    interval: timings.intervalMs,
    syncInterval: timings.syncIntervalMs,
    validity: timings.validityMs,
    staleAfter: timings.staleAfterMs,
    storeTimeout: timings.storeTimeoutMs,
    clockError: timings.clockErrorMs,
    ...(losesData && { learning: timings.learningMs }),
  });
  const grants = new WitnessGrants(throttle, log, runtime);

  let ended = false;
  const end = async (note: "leaving" | "fenced"): Promise<void> => {
    if (ended) return;
    ended = true;
    log.write({ type: note, atMs: machineNow() });
    await throttle.stop();
    await store.close();
    log.close();
    process.exit();
  };
  throttle.on("fenced", () => void end("fenced"));
  process.on("message", (message: ToWorker) => {
    if (ended) return;
    if (message.type === "leave") {
      void end("leaving");
    } else if (message.type === "max") {
      log.write({ ...message, atMs: machineNow() });
      throttle.update({ max: message.max });
    } else {
      log.write({ ...message, atMs: machineNow() });
      setWallClock(message.offsetMs);
    }
  });
  await join(throttle, () => ended);
  if (ended) return;
  tell({ type: "joined", clock });
  const heard = throttle.on("grant", () => {
    heard();
    tell({ type: "granted" });
  });
  await callers[caller]({
    throttle,
    grants,
    intervalMs: timings.intervalMs,
    storeNow: () => store.reading && machineNow() + store.reading.offsetMs,
    reporting: () => store.reporting(),
    ended: () => ended,
  });
}

function tell(message: FromWorker): void {
  process.send?.(message);
}

/** Joins, however long the store does not answer. */
async function join(throttle: Throttle, ended: () => boolean): Promise<void> {
  while (!ended()) {
    try {
      await throttle.start();
      return;
    } catch (error) {
      if (isDtError(error, "DT_STOPPED")) return;
      await sleep(JOIN_AGAIN_MS);
    }
  }
}

function pick({ memberId, caller, shares, release, max, wallClock, offsetMs }: WorkerConfig) {
  return { memberId, caller, shares, release, max, wallClock, offsetMs };
}
