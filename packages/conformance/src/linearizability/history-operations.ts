import type { PermitRelease, PermitRequest, Reservation } from "@dt/core";
import type { HistoryEntry } from "../history.ts";
import type { PermitOperation } from "./operation.ts";

/**
 * The calls on one key in a case's history, as the checker takes them. Calls that failed with effect `definite` did
 * nothing.
 * @param key the key's name
 * @param history the calls on a store, as they were recorded
 * @example const operations = permitOperations(history, "mail");
 */
export function permitOperations(history: readonly HistoryEntry[], key: string): PermitOperation[] {
  return history.flatMap((entry): PermitOperation[] => {
    if (entry.subject !== key || (entry.call !== "reserve" && entry.call !== "release")) return [];
    if (entry.error?.effect === "definite") return [];
    const { startMs, args } = entry;
    const endMs = entry.error ? undefined : entry.endMs;
    if (entry.call === "release")
      return [{ call: "release", startMs, endMs, release: args as unknown as PermitRelease }];
    const answer = endMs === undefined ? undefined : (entry.result as Reservation);
    return [{ call: "reserve", startMs, endMs, request: args as unknown as PermitRequest, answer }];
  });
}
