import type { Entry, ShareEntry, WorkerEntry } from "../../src/demo/record.ts";

/** A grant of a worker, as it reports it. */
export function grant(worker: number, atMs: number, epoch: number, tokens = 1): WorkerEntry {
  const entry: Entry = { type: "grant", atMs, epoch, tokens };
  return { worker, entry };
}

/** What a worker says of its share; in generation 1 unless told otherwise. */
export function share(worker: number, atMs: number, facts: Partial<ShareEntry> & { epoch: number }): WorkerEntry {
  const entry: Entry = { type: "share", atMs, tokens: 0, generation: 1, members: 2, ...facts };
  return { worker, entry };
}
