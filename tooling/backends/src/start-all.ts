import type { RunningServer } from "./running-server.ts";

/** Starts several servers at once; should one fail, the others are stopped and its error is thrown. */
export async function startAll<T extends RunningServer>(starts: readonly Promise<T>[]): Promise<T[]> {
  const outcomes = await Promise.allSettled(starts);
  const started = outcomes.filter((outcome) => outcome.status === "fulfilled").map((outcome) => outcome.value);
  const failed = outcomes.find((outcome) => outcome.status === "rejected");
  if (failed === undefined) return started;
  await stopAll(started);
  throw failed.reason;
}

/** Stops servers at once; every one is tried before the first error is thrown. */
export async function stopAll(servers: readonly RunningServer[]): Promise<void> {
  const outcomes = await Promise.allSettled(servers.map((server) => server.stop()));
  const failed = outcomes.find((outcome) => outcome.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}
