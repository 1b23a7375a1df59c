import { SourceProcess } from "../source-process.ts";

/** What a callee can take. */
export interface CalleeSettings {
  readonly workers: number;
  /** Mean time of a request at a worker, in milliseconds. */
  readonly serviceMs: number;
  readonly service: "fixed" | "exponential";
  /** So many requests may wait for a worker; others are answered 429. Without it any number may. */
  readonly maxQueue?: number;
  /** Says with each answer how long it waited for a worker: `Server-Timing: queue;dur=`. */
  readonly tellsQueueWait?: boolean;
}

/** What it has seen. */
export interface CalleeStats {
  readonly received: number;
  readonly executed: number;
  readonly refused: number;
  readonly longestQueue: number;
}

/** A running callee. */
export interface Callee extends AsyncDisposable {
  readonly url: string;
  /** Requests that begin from now on take so long at a worker, in milliseconds. */
  takes(serviceMs: number): void;
  stats(): Promise<CalleeStats>;
}

export async function startCallee(settings: CalleeSettings): Promise<Callee> {
  const server = new SourceProcess(new URL("server.ts", import.meta.url), [JSON.stringify(settings)]);
  const port = await server.said("ready");
  return {
    url: `http://127.0.0.1:${port}/`,
    takes: (serviceMs) => server.tell(`service ${serviceMs}`),
    stats: async () => {
      server.tell("stats");
      return JSON.parse(await server.said("stats")) as CalleeStats;
    },
    [Symbol.asyncDispose]: () => server.kill(),
  };
}
