import { SourceProcess } from "../source-process.ts";

const cli = new URL("../../../../apps/cli/src/main.ts", import.meta.url);

/** What a callee can take. */
export interface CalleeSettings {
  readonly workers: number;
  /** Mean time of a request at a worker, in milliseconds. */
  readonly serviceMs: number;
  readonly service: "fixed" | "exponential";
  /** Says with each answer how long it waited for a worker: `Server-Timing: queue;dur=`. */
  readonly tellsQueueWait?: boolean;
}

/** What it has seen, as far as is asked here. */
export interface CalleeStats {
  readonly received: number;
  /** Answered 200. */
  readonly accepted: number;
  readonly longestQueue: number;
}

/** A running callee. */
export interface Callee extends AsyncDisposable {
  readonly url: string;
  /** Requests that begin from now on take so long at a worker, in milliseconds. */
  takes(serviceMs: number): Promise<void>;
  stats(): Promise<CalleeStats>;
}

/**
 * Starts `dt callee`, a real HTTP server in a process of its own, with a queue that holds whatever comes, and that
 * works on all of it.
 */
export async function startCallee(settings: CalleeSettings): Promise<Callee> {
  const { workers, serviceMs, service, tellsQueueWait = false } = settings;
  const args = [
    "callee",
    "--attached",
    "--finishes-all",
    "--capacity",
    `${workers}`,
    "--queue",
    "1000000",
    "--takes",
    `${serviceMs}ms`,
  ];
  if (service === "exponential") args.push("--exponential");
  if (!tellsQueueWait) args.push("--no-server-timing");
  const server = new SourceProcess(cli, args);
  const url = await server.said("Listening on");
  return {
    url,
    takes: async (ms) => {
      await (await fetch(`${url}takes?ms=${ms}`, { method: "POST" })).text();
    },
    stats: async () => (await fetch(`${url}stats`)).json() as Promise<CalleeStats>,
    [Symbol.asyncDispose]: () => server.kill(),
  };
}
