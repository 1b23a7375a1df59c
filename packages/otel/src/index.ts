/**
 * Metrics of limiters, stores and signals for OpenTelemetry. `instrument` is all there is to call; the instruments are
 * on the page docs/metrics.md of the repository.
 */

export { type Instrumentation, type InstrumentOptions, instrument, type KeyOptions } from "./instrument.ts";
export type { MetricSource, SignalSource, StatusSource, StoreSource } from "./source.ts";
export type { Operation } from "./store.ts";
