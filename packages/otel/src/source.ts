import { DtError } from "@dt/core";
import { checkVersion, invalidOption, metricsReadOf } from "@dt/core/internal";
import { httpClientReader, type ServerStatus, serverReader } from "./http.ts";
import { isKind, type LimiterStatus, limiterReader } from "./limiter.ts";
import type { Reader } from "./reader.ts";
import { type ClientMetrics, signalReader } from "./signal.ts";
import { type Operation, storeReader } from "./store.ts";

/** A limiter, an HTTP client, or the limit of an HTTP server: whatever has a status. */
export interface StatusSource {
  /** The source at one instant, as data. */
  status(): object;
}

/** A store, which reports its operations as events. */
export interface StoreSource {
  /** What the store is: of it the name is read. */
  readonly capabilities: { readonly name: string };
  /**
   * Listens to the ends of operations; returns the function that ends it.
   * @param event the event's name
   * @param listener called with each event
   */
  on(event: "operation", listener: (event: Operation) => void): () => void;
}

/** A client or a server of `@dt/signal`. */
export interface SignalSource {
  /** The counts of the client or server, as data. */
  metrics(): object;
}

/** Whatever metrics can be read from. */
export type MetricSource = StatusSource | StoreSource | SignalSource;

const REMEDY =
  "give a limiter, a store, an HTTP client, a server limit, or a client or server of signals, or an array of them";

/** The parts of sources by which they are told apart. */
interface Parts {
  readonly name?: unknown;
  readonly capabilities?: { readonly name?: unknown } | null;
  readonly on?: unknown;
  readonly status?: () => unknown;
  readonly metrics?: () => unknown;
}

/**
 * Finds out what a source is, and how it is read.
 * @param maxKeys how many keys of a keyed limit may be told apart
 * @throws DtError `DT_INVALID_OPTION`
 */
export function readerOf(source: unknown, maxKeys: number): Reader {
  if (typeof source !== "object" || source === null) throw invalidOption("source", source, REMEDY);
  checkVersion("source", source);
  const { name, capabilities, on, status, metrics } = source as Parts;
  if (typeof capabilities?.name === "string" && typeof on === "function") return storeReader(source as never);
  if (typeof metrics === "function") {
    const read = metrics.bind(source) as () => ClientMetrics;
    if (Array.isArray(lookAt(read)?.throttled)) return signalReader(read);
  }
  if (typeof status !== "function") throw invalidOption("source", source, REMEDY);
  const read = metricsReadOf(source) ?? status.bind(source);
  const now = lookAt(read) as Partial<LimiterStatus & ServerStatus> | undefined;
  if (Array.isArray(now)) return httpClientReader(String(name), read as never);
  if (now?.kind === "keyed" && "key" in now)
    throw invalidOption("source", source, "it is the limiter of one key: give the keyed limit, and keys: { max }");
  if (isKind(now?.kind) && typeof now.name === "string")
    return limiterReader(source, read as () => LimiterStatus, maxKeys);
  if (typeof now?.allowed === "number" && typeof now.shed === "number") return serverReader(read as never);
  throw invalidOption("source", source, REMEDY);
}

/** @throws DtError `DT_INVALID_OPTION` */
function lookAt<Status>(read: () => Status): Status {
  try {
    return read();
  } catch (cause) {
    throw new DtError("DT_INVALID_OPTION", "source could not be read: its status or metrics throw; see the cause", {
      cause,
    });
  }
}
