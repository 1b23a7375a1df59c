import type { Reader } from "./reader.ts";
import type { Put } from "./series.ts";

/** How often, and for how long, a topic was throttled. */
interface ThrottleCount {
  readonly label: string;
  readonly topic: string;
  readonly times: number;
  readonly ms: number;
}

/** What a signal client counts. */
export interface ClientMetrics {
  readonly throttled: readonly ThrottleCount[];
}

/** What a signal server counts, as far as it becomes metrics. */
export interface ServerMetrics extends ClientMetrics {
  readonly signals: {
    readonly confirmed: number;
    readonly unconfirmed: number;
    readonly late: number;
    readonly broken: number;
  };
  readonly connections: number;
  readonly bufferedBytes: number;
}

/** How a signal client or server is read. Its topics are bounded: the rest are one topic, "(others)". */
export function signalReader(metrics: () => ClientMetrics | ServerMetrics): Reader {
  const kind = "signals" in metrics() ? "signalServer" : "signalClient";
  return {
    attributes: { "dt.kind": kind },
    read(put) {
      const now = metrics();
      if ("signals" in now) putServer(now, put);
      else putClient(now, put);
      return false;
    },
    listen: () => () => undefined,
  };
}

function putClient({ throttled }: ClientMetrics, put: Put): void {
  for (const { label, topic, times, ms } of throttled) {
    const attributes = { reason: label, topic };
    put("pulsar.client.producer.throttled_times", ms / 1_000, attributes);
    put("dt.signal.throttles", times, attributes);
  }
}

function putServer({ throttled, signals, connections, bufferedBytes }: ServerMetrics, put: Put): void {
  for (const { label, topic, times } of throttled)
    put("pulsar.broker.topic.publish.rate.limit.count", times, { limiter: label, topic });
  for (const result of ["confirmed", "unconfirmed", "late", "broken"] as const)
    put("dt.signal.signals", signals[result], { "dt.result": result });
  put("dt.signal.connections", connections);
  put("dt.signal.buffered", bufferedBytes);
}
