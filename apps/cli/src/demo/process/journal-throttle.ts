import type { Throttle } from "@dt/core";
import { nowMs } from "../clock.ts";
import type { Journal } from "../journal.ts";

/** How often the share is looked at: what times of shares are accurate to. */
const LOOK_EVERY_MS = 20;

/** Writes down what a throttle grants and what its share is, until the function returned is called. */
export function journalThrottle(throttle: Throttle, journal: Pick<Journal, "write">): () => void {
  throttle.on("grant", ({ epoch, tokens }) => journal.write({ type: "grant", atMs: nowMs(), epoch, tokens }));
  throttle.on("deposit", ({ epoch, tokens, regrantable }) => {
    if (regrantable) journal.write({ type: "returned", atMs: nowMs(), epoch, tokens });
  });
  throttle.on("storeError", ({ operation, error }) =>
    journal.write({ type: "trouble", atMs: nowMs(), what: `store ${operation}`, message: error.message }),
  );
  let last = "";
  const look = (): void => {
    const { state, epoch, share, agreed, generation, poolSize } = throttle.status();
    if (state !== "running" || epoch === undefined) return;
    const seen = `${epoch} ${share} ${agreed} ${generation} ${poolSize}`;
    if (seen === last) return;
    last = seen;
    journal.write({ type: "share", atMs: nowMs(), epoch, tokens: share, agreed, generation, poolSize });
  };
  const timer = setInterval(look, LOOK_EVERY_MS);
  return () => clearInterval(timer);
}
