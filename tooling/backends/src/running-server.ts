/** Where a server came from: an address in the environment, a container, or a process of ours. */
export type Origin = "environment" | "docker" | "local";

/** What `restart` does with what the server has stored. */
export interface RestartOptions {
  /** `true`: everything acknowledged before is there again. `false`: the server comes back empty. */
  readonly keepData: boolean;
}

/**
 * A server that answers requests. `kill`, `pause`, `resume` and `restart` need a process of our own: on a server with
 * `canControl` false they reject and say how to get one (`{ control: true }`).
 */
export interface RunningServer extends AsyncDisposable {
  readonly origin: Origin;
  /** The temporary folder of a local server, with its `server.log`; "" for others. */
  readonly folder: string;
  readonly canControl: boolean;
  readonly host: string;
  readonly port: number;
  /** The server's process id; `undefined` while it is down and for a server that is no process of ours. */
  readonly pid: number | undefined;
  /** SIGKILL to the server and its children; resolves when they have ended. The data stay for `restart`. */
  kill(): Promise<void>;
  /** SIGSTOP to the server and its children; resolves when they stand still. Connections stay open and unanswered. */
  pause(): Promise<void>;
  /** SIGCONT: undoes `pause`. */
  resume(): Promise<void>;
  /** Ends the server if it runs, and starts it on the same port; resolves when it answers. */
  restart(options: RestartOptions): Promise<void>;
  /** Ends the server, waits for its exit and removes its folder. Safe to call twice. */
  stop(): Promise<void>;
}
