import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { createSignalClient, type Producer } from "@dt/signal";
import { SourceProcess } from "@dt-tooling/backends/source-process";
import { interleaved } from "../interleaved.ts";
import { median, quantile } from "../statistics.ts";
import type { NoisyNeighbour } from "./figures.ts";

const broker = new URL("../../../apps/broker/src/main.ts", import.meta.url);

const QUOTA = 200;
const OFFERED = 10 * QUOTA;
/** Messages a second of each of the nine. */
const CALM = 50;
const PAYLOAD = Buffer.alloc(1_024, "x");

type Case = "quiet" | "signal" | "pause";

interface Measured {
  readonly latencies: readonly number[];
  readonly accepted: number;
}

/**
 * One client and one server, a process each, three ways in turn. The client lives through all rounds, and the first it
 * runs are not counted: until V8 has compiled what it will, they are a measurement of the compiler (p99 fell from 2.3
 * to 0.6 ms over five rounds).
 * @param warmUpMs begins every round, and is not measured: the server's compiling, and the second's worth that a full
 *   bucket gives at once
 */
export async function noisyNeighbour(rounds: number, seconds: number, warmUpMs = 8_000): Promise<NoisyNeighbour> {
  const cases: readonly Case[] = ["quiet", "signal", "pause"];
  for (const kind of cases) await measure(kind, seconds, warmUpMs);
  const all = await interleaved(cases, rounds, (kind) => measure(kind, seconds, warmUpMs));
  const p99 = cases.map((_, i) => (all[i] ?? []).map(({ latencies }) => quantile(latencies, 0.99)));
  const half = cases.map((_, i) => median((all[i] ?? []).map(({ latencies }) => quantile(latencies, 0.5))));
  const accepted = cases.map((_, i) => median((all[i] ?? []).map(({ accepted }) => accepted / seconds)));
  const [quiet = [], signal = [], pause = []] = p99;
  const at = (values: readonly number[], place: number): number => values[place] as number;
  return {
    quietP99Ms: median(quiet),
    signalP99Ms: median(signal),
    pauseP99Ms: median(pause),
    rounds: { quiet, signal, pause },
    medianMs: { quiet: at(half, 0), signal: at(half, 1), pause: at(half, 2) },
    quota: QUOTA,
    offered: OFFERED,
    acceptedPerSecond: { signal: at(accepted, 1), pause: at(accepted, 2) },
    seconds,
  };
}

async function measure(kind: Case, seconds: number, warmUpMs: number): Promise<Measured> {
  const server = new SourceProcess(broker, [
    "--quota",
    `noisy=${QUOTA}`,
    ...(kind === "pause" ? ["--pause-only"] : []),
  ]);
  const port = Number(await server.said("listening"));
  const client = createSignalClient({ connect: () => connect({ port, host: "127.0.0.1", noDelay: true }) });
  const noisy = await client.createProducer("noisy");
  const calm = await Promise.all(Array.from({ length: 9 }, (_, n) => client.createProducer(`calm-${n}`)));
  const startMs = performance.now() + warmUpMs;
  const endMs = startMs + seconds * 1_000;
  const latencies: number[] = [];
  let accepted = 0;
  const working: Promise<void>[] = calm.map((producer, n) =>
    even(producer, CALM, n / calm.length, endMs, (sentMs, ms) => {
      if (sentMs >= startMs) latencies.push(ms);
    }),
  );
  if (kind !== "quiet")
    working.push(
      even(noisy, OFFERED, 0, endMs, (sentMs, ms) => {
        if (sentMs + ms >= startMs && sentMs + ms < endMs) accepted += 1;
      }),
    );
  await Promise.all(working);
  // What is on its way still counts: leaving out the slowest would make them look fast.
  const deadlineMs = performance.now() + 5_000;
  while (calm.some(({ pendingMessages }) => pendingMessages > 0) && performance.now() < deadlineMs) await sleep(5);
  await client.close();
  await server.kill();
  return { latencies, accepted };
}

/** Sends so many messages a second, evenly, whatever becomes of them. Latency counts from the call of `send`. */
async function even(
  producer: Producer,
  perSecond: number,
  offset: number,
  endMs: number,
  confirmed: (sentMs: number, ms: number) => void,
): Promise<void> {
  const beginMs = performance.now() + offset * (1_000 / perSecond);
  for (let sent = 0; ; ) {
    const nowMs = performance.now();
    if (nowMs >= endMs) return;
    for (; beginMs + (sent * 1_000) / perSecond <= nowMs; sent++) {
      const sentMs = performance.now();
      producer.send(PAYLOAD).then(
        () => confirmed(sentMs, performance.now() - sentMs),
        // Refused: there is more than may wait.
        () => undefined,
      );
    }
    await sleep(Math.max(1, beginMs + (sent * 1_000) / perSecond - performance.now()));
  }
}
