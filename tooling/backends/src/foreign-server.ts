import type { Origin, RunningServer } from "./running-server.ts";

/** A server that somebody else runs: it answers, and it is not ours to kill. */
export function foreignServer(facts: {
  readonly origin: Exclude<Origin, "local">;
  readonly host: string;
  readonly port: number;
  /** The call that gives a server with control, for the message: "startRedis". */
  readonly starter: string;
  readonly stop: () => Promise<void>;
}): RunningServer {
  const { origin, host, port, starter } = facts;
  const refuse = (action: string) => async (): Promise<void> => {
    throw new Error(
      `${action} needs a process of our own, and this server comes from ${origin}: use ${starter}({ control: true })`,
    );
  };
  let stopping: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    stopping ??= facts.stop();
    return stopping;
  };
  return {
    origin,
    folder: "",
    canControl: false,
    host,
    port,
    pid: undefined,
    kill: refuse("kill"),
    pause: refuse("pause"),
    resume: refuse("resume"),
    restart: refuse("restart"),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
