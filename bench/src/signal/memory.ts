import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { createSignalServer } from "@dt/signal";
import { SourceProcess } from "@dt-tooling/backends/source-process";
import type { MemoryRun } from "./figures.ts";

const clients = new URL("./memory-clients.ts", import.meta.url);

/** Messages of one connection, a second. */
const QUOTA = 5;
const SAMPLE_MS = 500;
/** How long the server takes to keep a message: it is pending meanwhile. */
const KEEPING_MS = 5;
const MIB = 1_024 * 1_024;

/** Many connections, each ten times above the quota of its topic, while what the server holds is looked at. */
export async function memory(kind: MemoryRun["clients"], connections: number, seconds: number): Promise<MemoryRun> {
  let kept = 0;
  const server = createSignalServer({
    topicQuota: () => ({ rate: QUOTA }),
    handler: {
      publish: async () => {
        await sleep(KEEPING_MS);
        kept += 1;
        return kept;
      },
    },
    maxConnections: connections,
    maxMessageBufferBytes: 16 * MIB,
    maxOutgoingBytes: 64 * 1_024,
    maxPendingMessages: 100,
  });
  const tcp = createServer((socket) => void server.attach(socket));
  tcp.listen({ port: 0, host: "127.0.0.1", backlog: 2_000 });
  await once(tcp, "listening");
  const { port } = tcp.address() as AddressInfo;
  const load = new SourceProcess(clients, [port, connections, kind, 10 * QUOTA].map(String));
  try {
    await load.said("ready", 120_000);
    const [bufferedBytes, residentBytes]: [number[], number[]] = [[], []];
    const [beforeMs, before] = [performance.now(), kept];
    while (performance.now() - beforeMs < seconds * 1_000) {
      await sleep(SAMPLE_MS);
      bufferedBytes.push(server.metrics().bufferedBytes);
      residentBytes.push(process.memoryUsage().rss);
    }
    const { boundBytes, signals } = server.metrics();
    return {
      clients: kind,
      connections: server.metrics().connections,
      seconds,
      boundBytes,
      bufferedBytes,
      mostBytes: Math.max(...bufferedBytes),
      residentBytes,
      acceptedPerSecond: (kept - before) / ((performance.now() - beforeMs) / 1_000),
      quotaPerSecond: QUOTA * connections,
      confirmed: signals.confirmed,
      broken: signals.broken,
      brokenBytes: signals.brokenBytes,
    };
  } finally {
    await load.kill();
    tcp.close();
    await server.close();
  }
}
