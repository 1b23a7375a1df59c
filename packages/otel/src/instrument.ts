import { hostName, option, packageName, settingsOf, type TableOf } from "@dt/core/internal";
import { type Meter, metrics } from "@opentelemetry/api";
import { registryOf } from "./meter-registry.ts";
import { type MetricSource, readerOf } from "./source.ts";

/** Options of `instrument`. */
export interface InstrumentOptions {
  /**
   * What the instruments are made by.
   * @default the meter `@dt/otel` of the provider that is registered with the API
   */
  readonly meter?: Meter | undefined;
  /**
   * The name of this process among those of the fleet: the attribute `dt.label`.
   * @default the host's name
   */
  readonly label?: string | undefined;
  /**
   * Refused keys of keyed limits become an attribute, `max` of them: 1 to 10,000. All further keys are one. Keys are
   * often personal, and every key is a series of its own.
   * @default none: keys are in no metric
   */
  readonly keys?: KeyOptions | undefined;
}

/** How many keys become an attribute. */
export interface KeyOptions {
  /** The first so many keys that are refused have a series of their own: a whole number from 1 to 10,000. */
  readonly max: number;
}

/** Sources that are measured. Made by {@link instrument}. */
export interface Instrumentation {
  /**
   * Measures one more source. One that is measured already stays as it is.
   * @param source a limiter, a store, an HTTP client, a server limit, or a client or server of signals
   * @throws DtError `DT_INVALID_OPTION` when it is none of these
   */
  add(source: MetricSource): void;
  /**
   * Measures a source no more. Its last counts go with the next collection.
   * @param source what was added
   */
  remove(source: MetricSource): void;
  /** Measures nothing any more: removes the callback and all listeners. Does not stop the sources. */
  stop(): void;
  /** The same as `stop`: for `using`. */
  [Symbol.dispose](): void;
}

const MOST_KEYS = 10_000;

const METER_METHODS = [
  "createHistogram",
  "createCounter",
  "createObservableCounter",
  "createObservableUpDownCounter",
  "createObservableGauge",
  "addBatchObservableCallback",
  "removeBatchObservableCallback",
] as const;

const KEYS = { max: option.integer(1, MOST_KEYS) } satisfies TableOf<KeyOptions>;

const OPTIONS = {
  meter: option.having<Meter>(METER_METHODS, "give a Meter of @opentelemetry/api, or leave it out").optional,
  label: option.name.optional,
  keys: option.checked((name, given) => settingsOf(KEYS, given as object, name, `${name}.`)).optional,
} satisfies TableOf<InstrumentOptions>;

/**
 * Measures limiters, stores, HTTP clients and signals with OpenTelemetry. Calls that are granted at once cost nothing
 * more: their numbers are read at each collection. Without an SDK nothing is measured, and nothing fails.
 *
 * Register the SDK's meter provider first: the default meter is that of the provider which is registered now.
 * @param sources one source, or an array of them
 * @param options the meter, the label of this process, and whether keys are an attribute
 * @throws DtError `DT_INVALID_OPTION` naming the option, the value and the remedy
 * @example
 * const measured = instrument([throttle, store]);
 * measured.add(client);
 */
export function instrument(
  sources: MetricSource | readonly MetricSource[] = [],
  options: InstrumentOptions = {},
): Instrumentation {
  const { meter = metrics.getMeter(packageName("otel")), label = hostName(), keys } = settingsOf(OPTIONS, options);
  const registry = registryOf(meter);
  const releases = new Map<MetricSource, () => void>();
  const instrumentation: Instrumentation = {
    add(source) {
      if (releases.has(source)) return;
      releases.set(
        source,
        registry.add(source, label, () => readerOf(source, keys?.max ?? 0)),
      );
    },
    remove(source) {
      releases.get(source)?.();
      releases.delete(source);
    },
    stop() {
      for (const source of [...releases.keys()]) instrumentation.remove(source);
    },
    [Symbol.dispose]: () => instrumentation.stop(),
  };
  try {
    for (const source of Array.isArray(sources) ? (sources as readonly MetricSource[]) : [sources as MetricSource])
      instrumentation.add(source);
  } catch (error) {
    instrumentation.stop();
    throw error;
  }
  return instrumentation;
}
