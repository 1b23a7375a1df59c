import { count, figure, figures, ratio } from "../report/format.ts";
import { atMost, type Report, type Table, type Target } from "../report/report.ts";
import { quotient } from "../statistics.ts";
import type { Accuracy, MemoryRun, NoisyNeighbour, SignalFigures, Throughput } from "./figures.ts";

const MIB = 1_024 * 1_024;

export function signalReport({ noisyNeighbour, accuracy, memory, throughput }: SignalFigures): Report {
  const parts = [
    noisyNeighbour && { table: noiseTable(noisyNeighbour), targets: noiseTargets(noisyNeighbour) },
    accuracy && { table: accuracyTable(accuracy), targets: accuracyTargets(accuracy) },
    memory && { table: memoryTable(memory), targets: memory.map(memoryTarget) },
    throughput && { table: throughputTable(throughput), targets: [] },
  ].filter((part) => part !== undefined);
  return { tables: parts.map(({ table }) => table), targets: parts.flatMap(({ targets }) => targets) };
}

function noiseTable(measured: NoisyNeighbour): Table {
  const { medianMs, rounds, quietP99Ms, signalP99Ms, pauseP99Ms, acceptedPerSecond, quota, offered } = measured;
  const { seconds, leadSeconds, first } = measured;
  const row = (
    name: string,
    median: number | null,
    p99: number | null,
    all: readonly (number | null)[],
    kept: string,
  ): string[] => [name, figure(median), figure(p99), figures(all), kept];
  return {
    title: "Noisy neighbour: ten topics on one connection; send latency of nine, in milliseconds",
    columns: ["", "median", "p99", "p99 of each round", "kept of the tenth, a second"],
    rows: [
      row("no noise", medianMs.quiet, quietP99Ms, rounds.quiet, ""),
      row("signal", medianMs.signal, signalP99Ms, rounds.signal, figure(acceptedPerSecond.signal)),
      row("pause only", medianMs.pause, pauseP99Ms, rounds.pause, figure(acceptedPerSecond.pause)),
    ],
    notes: [
      `The tenth topic may have ${quota} messages a second and is offered ${count(offered)}; the nine send 50 each, evenly. 1 KiB each. Client and server are a process each${first ? ", and go before all other processes (nice -20)" : ""}.`,
      `${rounds.quiet.length} rounds of ${seconds} s after ${leadSeconds} s that are not counted, the three in turn, and one round before them to warm up; the median of the rounds counts.`,
    ],
  };
}

function noiseTargets({ quietP99Ms, signalP99Ms }: NoisyNeighbour): Target[] {
  return [atMost("p99 of the nine with the signal, beside no noise", quotient(signalP99Ms, quietP99Ms), 1.2)];
}

function accuracyTable({
  quota,
  seconds,
  accepted,
  expected,
  errorPercent,
  lost,
  outOfOrder,
  signals,
}: Accuracy): Table {
  return {
    title: `Accuracy: a topic's quota of ${count(quota)} a second, and a client that always has more`,
    columns: ["seconds", "kept", "the quota gives", "off by", "lost", "out of order", "signals"],
    rows: [
      [
        count(seconds),
        count(accepted),
        count(expected),
        `${errorPercent.toFixed(2)} %`,
        count(lost),
        count(outOfOrder),
        count(signals),
      ],
    ],
    notes: ["After the first second, in which a full bucket gives a second's worth more."],
  };
}

function accuracyTargets({ errorPercent, lost, outOfOrder }: Accuracy): Target[] {
  return [
    atMost("percent that the kept messages differ from the quota", errorPercent, 1),
    atMost("messages lost or out of order", lost + outOfOrder, 0),
  ];
}

function memoryTable(runs: readonly MemoryRun[]): Table {
  return {
    title: "What the server holds, in MiB, while every connection is ten times above its quota",
    columns: [
      "clients",
      "connections",
      "bound",
      "most",
      "after 5 s",
      "10 s",
      "20 s",
      "30 s",
      "resident at the end",
      "kept a second (quota)",
      "broken promises",
    ],
    rows: runs.map((run) => [
      run.clients,
      count(run.connections),
      figure(run.boundBytes / MIB),
      figure(run.mostBytes / MIB),
      ...[5, 10, 20, 30].map((second) => {
        const bytes = run.bufferedBytes[Math.min(2 * second, run.bufferedBytes.length) - 1];
        return bytes === undefined ? "" : figure(bytes / MIB);
      }),
      figure((run.residentBytes.at(-1) ?? 0) / MIB),
      `${count(run.acceptedPerSecond)} (${count(run.quotaPerSecond)})`,
      `${count(run.broken)} (${figure(run.brokenBytes / MIB)} MiB taken)`,
    ]),
    notes: [
      "Held: frames begun or pending, the rest of chunks that were read, answers that clients have not read. Bound: 16 MiB of frames for all connections together. Each connection adds two reads of its socket (128 KiB), 64 KiB of a frame, 64 KiB of answers, and room for 100 receipts and 1,000 signals.",
      "Confirming clients keep their promise; lying ones confirm and send on; silent ones do neither. All of them send 1 KiB messages, and the server takes 5 ms to keep one.",
    ],
  };
}

function memoryTarget({ clients, mostBytes, boundBytes }: MemoryRun): Target {
  return atMost(`most that the server held with ${clients} clients, beside its bound`, mostBytes / boundBytes, 1);
}

function throughputTable(sizes: readonly Throughput[]): Table {
  return {
    title: "Throughput, in thousands a second",
    columns: ["payload", "encode", "decode", "connection", "bare TCP", "bare TCP / connection"],
    rows: sizes.map(({ payloadBytes, encode, decode, connection, rawTcp }) => [
      `${count(payloadBytes)} bytes`,
      ...[encode, decode, connection, rawTcp].map(({ median }) => figure(median / 1_000)),
      ratio(quotient(rawTcp.median, connection.median)),
    ]),
    notes: [
      "Encode and decode: a frame with checksum, a second of processor time. Connection and bare TCP: messages that a server process confirms one by one, 100 on their way; bare TCP is a length and the payload, and four bytes back.",
    ],
  };
}
