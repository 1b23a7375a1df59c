import type { LimitTarget } from "@dt/core";
import type { Call, Operations } from "@dt/core/store";
import type { LimitFlaw } from "./limit-flaw.ts";
import type { SimulatedServer } from "./simulated-server.ts";

type Request = <T>(call: Call, serve: () => T | Promise<T>) => Promise<T>;

/** The stored limits' part of a simulated store. */
export function simulatedLimits(
  server: SimulatedServer,
  flaw: LimitFlaw,
  request: Request,
): Required<Pick<Operations, "readLimit" | "writeLimit">> {
  return {
    readLimit: (target, call) =>
      request(call, () => {
        const row = server.limits.get(limitKey(target, flaw));
        return { stored: flaw.read ? flaw.read(row) : row, storeTimeMs: server.now() };
      }),
    writeLimit: (target, from, row, call) =>
      request(call, () => {
        const key = limitKey(target, flaw);
        const before = server.limits.get(key);
        const proceed = () => (from === null || from === (before?.revision ?? 0) ? row : false);
        const written = flaw.write ? flaw.write({ from, row, before }, proceed) : proceed();
        if (written === false) return false;
        if (written) server.limits.set(key, written);
        else server.limits.delete(key);
        return true;
      }),
  };
}

/** Where a record is kept. */
export function limitKey(target: LimitTarget, flaw: LimitFlaw): string {
  return flaw.key ? flaw.key(target) : JSON.stringify([target.kind, target.name, target.key]);
}
