import type { Meter } from "@opentelemetry/api";
import { type Histogram, MeterProvider, MetricReader } from "@opentelemetry/sdk-metrics";

/** One point of a series, as the SDK gives it to its exporters. */
export interface Measured {
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly value: number | Histogram;
}

/** A reader that is read by hand. */
class HandReader extends MetricReader {
  protected override async onForceFlush(): Promise<void> {}
  protected override async onShutdown(): Promise<void> {}
}

/** A meter of the real SDK, and what a collection gives. */
export class Measurement {
  readonly provider: MeterProvider;
  readonly meter: Meter;
  readonly #reader = new HandReader();

  constructor(name = "test") {
    this.provider = new MeterProvider({ readers: [this.#reader] });
    this.meter = this.provider.getMeter(name);
  }

  /** Collects, and gives the points of each instrument by its name. */
  async collect(): Promise<ReadonlyMap<string, readonly Measured[]>> {
    const { resourceMetrics, errors } = await this.#reader.collect();
    if (errors.length > 0) throw errors[0];
    const metrics = resourceMetrics.scopeMetrics.flatMap((scope) => scope.metrics);
    const names = metrics.map(({ descriptor }) => descriptor.name);
    if (new Set(names).size < names.length) throw new Error(`an instrument comes twice: ${names.join(" ")}`);
    return new Map(metrics.map((metric) => [metric.descriptor.name, metric.dataPoints as readonly Measured[]]));
  }

  /** Collects, and gives the values of one instrument whose attributes are at least these. */
  async values(name: string, attributes: Readonly<Record<string, unknown>> = {}): Promise<number[]> {
    return valuesOf(await this.collect(), name, attributes);
  }

  /** What one instrument has for attributes, in a collection of its own; fails where it is not one value. */
  async value(name: string, attributes: Readonly<Record<string, unknown>> = {}): Promise<number> {
    const values = await this.values(name, attributes);
    if (values.length !== 1) throw new Error(`${name} has ${values.length} values: ${values.join(" ")}`);
    return values[0] as number;
  }
}

/** The values of one instrument whose attributes are at least these; of a histogram the count. */
export function valuesOf(
  collected: ReadonlyMap<string, readonly Measured[]>,
  name: string,
  attributes: Readonly<Record<string, unknown>> = {},
): number[] {
  const points = collected.get(name) ?? [];
  const fitting = points.filter((point) =>
    Object.entries(attributes).every(([key, value]) => point.attributes[key] === value),
  );
  return fitting.map(({ value }) => (typeof value === "number" ? value : value.count));
}
