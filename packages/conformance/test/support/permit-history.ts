import type { PermitOperation } from "@dt/conformance";
import type { PermitRequest } from "@dt/core";
import { releasePermits, reservePermits } from "@dt/core/ledger";
import { seededRandom } from "../../src/bound-case.ts";
import { PlainPermitTable } from "../../src/permits/plain-permit-table.ts";

export interface HistoryOptions {
  readonly seed: number;
  readonly operations: number;
  readonly clients: number;
  /** Part of the calls whose answer is lost. */
  readonly lost?: number;
  /** Part of the new requests that pause the key. */
  readonly pauses?: number;
  /** Releases that are answered and never done. */
  readonly forgetReleases?: boolean;
  readonly request?: Partial<PermitRequest>;
}

interface Waiting {
  readonly request: PermitRequest;
  granted: number;
}

/**
 * A history as a sound ledger makes it: clients call one after the other, each on its own; a call takes effect at a
 * random time between its start and its end. Calls of different clients overlap.
 */
export function soundHistory(options: HistoryOptions): PermitOperation[] {
  const random = seededRandom(options.seed, "history");
  const table = new PlainPermitTable();
  const free = Array.from({ length: options.clients }, () => 1_000_000 + random() * 10);
  const calls: { readonly client: number; startMs: number; atMs: number; endMs: number }[] = [];
  for (let i = 0; i < options.operations; i++) {
    const client = Math.floor(random() * options.clients);
    const startMs = free[client] as number;
    const atMs = startMs + random() * 8;
    const endMs = atMs + random() * 8;
    free[client] = endMs + random() * 12;
    calls.push({ client, startMs, atMs, endMs });
  }
  const held = Array.from({ length: options.clients }, (): Waiting[] => []);
  let ids = 0;
  const operations = calls
    .sort((a, b) => a.atMs - b.atMs)
    .map(({ client, startMs, atMs, endMs }): PermitOperation => {
      const mine = held[client] as Waiting[];
      const lost = random() < (options.lost ?? 0);
      const seen = { startMs, endMs: lost ? undefined : endMs };
      const chosen = mine[Math.floor(random() * mine.length)];
      if (chosen && random() < 0.35) {
        const release = { id: chosen.request.id, keep: Math.floor(random() * (chosen.granted + 1)) };
        if (!options.forgetReleases) releasePermits(table, release, atMs);
        return { call: "release", ...seen, release };
      }
      ids += 1;
      const count = random() < 0.2 ? 3 : 1;
      const defaults = { count, cost: 1, everyMs: 10, burst: 1, maxReserved: 12, keepMs: 500, queueMs: 0 };
      const pause = options.pauses !== undefined && random() < options.pauses ? { pauseMs: 5 + random() * 40 } : {};
      const fresh = { ...defaults, id: `r${ids}`, ...options.request, ...pause };
      const request = chosen && random() < 0.2 ? chosen.request : fresh;
      const answer = reservePermits(table, request, atMs);
      if (request === fresh && answer.granted > 0) mine.push({ request, granted: answer.granted });
      return { call: "reserve", ...seen, request, answer: lost ? undefined : answer };
    });
  return operations.sort((a, b) => a.startMs - b.startMs);
}
