import { setTimeout as sleep } from "node:timers/promises";
import { FaultProxy, type RunningServer } from "@dt-tooling/backends";
import type { StartedStore } from "./permit-store.ts";

/** The faults of a server that is a process of ours, with a proxy in front of it for one worker. */
export async function serverFaults(
  server: RunningServer,
): Promise<
  Required<Pick<StartedStore, "standStill" | "restart" | "die" | "loseReplies" | "stop">> & { proxyPort: number }
> {
  const proxy = await FaultProxy.listen({ host: server.host, port: server.port });
  return {
    proxyPort: proxy.port,
    standStill: async (ms) => {
      await server.pause();
      await sleep(ms);
      await server.resume();
    },
    die: async (ms) => {
      await server.kill();
      await sleep(ms);
      await server.restart({ keepData: true });
    },
    restart: () => server.restart({ keepData: true }),
    loseReplies: async (ms) => {
      proxy.apply({ type: "swallow-replies" });
      await sleep(ms);
      proxy.apply(undefined);
    },
    stop: async () => {
      await proxy.close();
      await server.stop();
    },
  };
}

/** The same address by way of the proxy. */
export function throughPort(url: string, port: number): string {
  const changed = new URL(url);
  changed.hostname = "127.0.0.1";
  changed.port = String(port);
  return changed.href;
}
