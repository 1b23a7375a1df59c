/**
 * Measures the noisy neighbour: `noisy-client.ts rounds seconds leadMs`. Prints JSON.
 *
 * One client and one server, a process each; beside them a server that only pauses. They live through all rounds, and
 * the first is not counted: until V8 has compiled what it will, it is a measurement of the compiler (p99 fell from 2.3
 * to 0.6 ms over five rounds).
 */
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { createSignalClient, type Producer } from "@dt/signal";
import { SourceProcess } from "@dt-tooling/backends/source-process";
import { interleaved } from "../interleaved.ts";
import { median, percentiles, spread } from "../statistics.ts";
import type { NoisyMeasurement } from "./figures.ts";

const broker = new URL("../../../apps/broker/src/main.ts", import.meta.url);

const QUOTA = 200;
const OFFERED = 10 * QUOTA;
/** Messages a second of each of the nine. */
const CALM = 50;
const PAYLOAD = Buffer.alloc(1_024, "x");

const CASES = ["quiet", "signal", "pause"] as const;

interface Measured {
  readonly latencies: readonly number[];
  readonly accepted: number;
}

const [rounds, seconds, leadMs] = process.argv.slice(2).map(Number) as [number, number, number];
const quota = ["--quota", `noisy=${QUOTA}`];
const servers = [new SourceProcess(broker, quota), new SourceProcess(broker, [...quota, "--pause-only"])];
const ports = await Promise.all(servers.map(async (server) => Number(await server.said("listening"))));
const measureAll = (times: number): Promise<Measured[][]> =>
  interleaved(CASES, times, (kind) => measure(ports[kind === "pause" ? 1 : 0] as number, kind !== "quiet"));
await measureAll(1);
process.stdout.write(JSON.stringify(figures(await measureAll(rounds))));
for (const server of servers) await server.kill();

function figures([quiet = [], signal = [], pause = []]: readonly (readonly Measured[])[]): NoisyMeasurement {
  const [calm, signalled, paused] = [caseOf(quiet), caseOf(signal), caseOf(pause)];
  return {
    quietP99Ms: calm.p99Ms,
    signalP99Ms: signalled.p99Ms,
    pauseP99Ms: paused.p99Ms,
    rounds: { quiet: calm.rounds, signal: signalled.rounds, pause: paused.rounds },
    medianMs: { quiet: calm.medianMs, signal: signalled.medianMs, pause: paused.medianMs },
    quota: QUOTA,
    offered: OFFERED,
    acceptedPerSecond: { signal: signalled.acceptedPerSecond, pause: paused.acceptedPerSecond },
    seconds,
    leadSeconds: leadMs / 1_000,
  };
}

function caseOf(rounds: readonly Measured[]) {
  const measured = rounds.map(({ latencies }) => percentiles(latencies));
  const middle = (at: 0 | 1): number | null => median(measured.flatMap((latency) => latency?.[at] ?? []));
  return {
    medianMs: middle(0),
    p99Ms: middle(1),
    rounds: measured.map((latency) => latency?.[1] ?? null),
    acceptedPerSecond: spread(rounds.map(({ accepted }) => accepted / seconds)).median,
  };
}

async function measure(port: number, noise: boolean): Promise<Measured> {
  const client = createSignalClient({ connect: () => connect({ port, host: "127.0.0.1" }) });
  const noisy = await client.createProducer("noisy");
  const calm = await Promise.all(Array.from({ length: 9 }, (_, n) => client.createProducer(`calm-${n}`)));
  // The lead is not measured: the second's worth that a full bucket gives at once is sent in it.
  const startMs = performance.now() + leadMs;
  const endMs = startMs + seconds * 1_000;
  const latencies: number[] = [];
  let accepted = 0;
  const working: Promise<void>[] = calm.map((producer, n) =>
    even(producer, CALM, n / calm.length, endMs, (sentMs, ms) => {
      if (sentMs >= startMs) latencies.push(ms);
    }),
  );
  if (noise)
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
