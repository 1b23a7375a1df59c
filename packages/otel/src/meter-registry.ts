import { packageName } from "@dt/core/internal";
import {
  type BatchObservableResult,
  type Counter,
  diag,
  type Histogram,
  type Meter,
  type Observable,
} from "@opentelemetry/api";
import { INSTRUMENTS, type InstrumentName, instrumentOf, type ObservedName, type RecordedName } from "./instruments.ts";
import type { Reader, Record } from "./reader.ts";
import { type Attributes, Farewells, type Point, pointsOf, Series } from "./series.ts";

/** One source under one label. */
interface Entry {
  readonly reader: Reader;
  readonly attributes: Attributes;
  readonly unlisten: () => void;
  /** How many instrumentations want it. */
  users: number;
  failed: boolean;
}

/**
 * The instruments of one meter, and the sources that they are read from. There is one for each meter, however often
 * `instrument` is called. All sources are read by one callback, each once in a collection.
 */
export class MeterRegistry {
  readonly #meter: Meter;
  readonly #observed = new Map<ObservedName, Observable>();
  readonly #histograms = new Map<InstrumentName, Histogram>();
  readonly #counters = new Map<InstrumentName, Counter>();
  readonly #entries = new Map<object, Map<string, Entry>>();
  readonly #farewells = new Farewells();
  #reading = false;

  constructor(meter: Meter) {
    this.#meter = meter;
    for (const name of Object.keys(INSTRUMENTS) as InstrumentName[]) this.#create(name);
  }

  /**
   * Adds a source under a label, or one more user of it.
   * @param make makes its reader; called where the source is new
   * @returns what takes the user away again
   */
  add(source: object, label: string, make: () => Reader): () => void {
    const labels = this.#entries.get(source) ?? new Map<string, Entry>();
    const entry = labels.get(label) ?? this.#entryOf(make(), label);
    entry.users += 1;
    labels.set(label, entry);
    this.#entries.set(source, labels);
    if (!this.#reading) this.#meter.addBatchObservableCallback(this.#read, [...this.#observed.values()]);
    this.#reading = true;
    let isUsed = true;
    return () => {
      if (!isUsed) return;
      isUsed = false;
      entry.users -= 1;
      if (entry.users === 0) this.#drop(source, label, entry);
    };
  }

  #entryOf(reader: Reader, label: string): Entry {
    const attributes = { ...reader.attributes, "dt.label": label };
    const record: Record = (name, value, more) => this.#record(name, value, { ...attributes, ...more });
    return { reader, attributes, unlisten: reader.listen(record), users: 0, failed: false };
  }

  #record(name: RecordedName, value: number, attributes: Attributes): void {
    if (!Number.isFinite(value) || value < 0) return;
    this.#histograms.get(name)?.record(value, attributes);
    this.#counters.get(name)?.add(value, attributes);
  }

  /** Reads every source. One that fails is left out of this collection, and disturbs no other. */
  readonly #read = (result: BatchObservableResult): void => {
    const series = new Series();
    for (const [source, labels] of this.#entries)
      for (const [label, entry] of labels) {
        try {
          let ended = false;
          const points = pointsOf(entry.attributes, (put) => {
            ended = entry.reader.read(put);
          });
          if (ended) this.#drop(source, label, entry, points);
          else series.add(points);
          entry.failed = false;
        } catch (error) {
          if (!entry.failed) diag.warn(`${packageName("otel")}: ${describeEntry(entry)} could not be read`, error);
          entry.failed = true;
        }
      }
    this.#farewells.joinTo(series);
    for (const { name, value, attributes } of series) {
      const observable = this.#observed.get(name);
      if (observable) result.observe(observable, value, attributes);
    }
    this.#restIfIdle();
  };

  /** Takes a source out. Its last counts go with the next collection. */
  #drop(source: object, label: string, entry: Entry, last?: readonly Point[]): void {
    const labels = this.#entries.get(source);
    if (labels?.get(label) !== entry) return;
    labels.delete(label);
    if (labels.size === 0) this.#entries.delete(source);
    entry.unlisten();
    try {
      this.#farewells.add(last ?? pointsOf(entry.attributes, (put) => void entry.reader.read(put)));
    } catch (error) {
      diag.debug(`${packageName("otel")}: ${describeEntry(entry)} could not be read a last time`, error);
    }
  }

  /** Nothing is left to be read: the meter has no callback any more. */
  #restIfIdle(): void {
    if (!this.#reading || this.#entries.size > 0 || this.#farewells.size > 0) return;
    this.#meter.removeBatchObservableCallback(this.#read, [...this.#observed.values()]);
    this.#reading = false;
  }

  #create(name: InstrumentName): void {
    const { type, unit, description, buckets } = instrumentOf(name);
    const options = { unit, description };
    const meter = this.#meter;
    switch (type) {
      case "counter":
        this.#observed.set(name as ObservedName, meter.createObservableCounter(name, options));
        break;
      case "upDownCounter":
        this.#observed.set(name as ObservedName, meter.createObservableUpDownCounter(name, options));
        break;
      case "gauge":
        this.#observed.set(name as ObservedName, meter.createObservableGauge(name, options));
        break;
      case "events":
        this.#counters.set(name, meter.createCounter(name, options));
        break;
      case "histogram":
        this.#histograms.set(
          name,
          meter.createHistogram(name, { ...options, advice: { explicitBucketBoundaries: [...(buckets ?? [])] } }),
        );
        break;
    }
  }
}

const registries = new WeakMap<Meter, MeterRegistry>();

/** The registry of a meter: always the same, so that no instrument is made twice. */
export function registryOf(meter: Meter): MeterRegistry {
  let registry = registries.get(meter);
  if (registry === undefined) {
    registry = new MeterRegistry(meter);
    registries.set(meter, registry);
  }
  return registry;
}

function describeEntry({ attributes }: Entry): string {
  return JSON.stringify(attributes);
}
