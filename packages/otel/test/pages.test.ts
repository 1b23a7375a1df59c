import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { isDtError } from "@dt/core";
import { PrometheusExporter } from "@opentelemetry/exporter-prometheus";
import { MeterProvider } from "@opentelemetry/sdk-metrics";
import { beforeAll, describe, expect, it } from "vitest";
import { instrument } from "../src/index.ts";
import { INSTRUMENTS, type InstrumentName, instrumentOf } from "../src/instruments.ts";
import { EveryKind } from "./every-kind.ts";
import { type Measured, Measurement } from "./measured.ts";

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");
const page = read("../../../docs/metrics.md");
const names = Object.keys(INSTRUMENTS) as InstrumentName[];

/** A row of the page's tables of instruments. */
interface Row {
  readonly prometheus: string;
  readonly type: string;
  readonly unit: string;
  readonly attributes: readonly string[];
}

function rowsOf(text: string): ReadonlyMap<string, Row> {
  const quoted = (cell = ""): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);
  const cells = text
    .split("\n")
    .map((line) => line.split(" | "))
    .filter((row) => row.length === 6 && /^\| `/.test(row[0] ?? ""));
  const rows = cells.map(([name, prometheus, type = "", unit, attributes]): [string, Row] => [
    quoted(name)[0] ?? "",
    {
      prometheus: quoted(prometheus)[0] ?? "",
      type,
      unit: quoted(unit)[0] ?? "",
      attributes: quoted(attributes).toSorted(),
    },
  ]);
  expect(new Set(rows.map(([name]) => name)).size).toBe(rows.length);
  return new Map(rows);
}

/** Words of the page, for each type of instrument. */
const TYPES = {
  counter: "counter",
  events: "counter",
  upDownCounter: "up-down counter",
  gauge: "gauge",
  histogram: "histogram",
} as const;

/** The type that the exporter for Prometheus writes, for each word of the page. */
const PROMETHEUS_TYPES: Readonly<Record<string, string>> = {
  counter: "counter",
  "up-down counter": "gauge",
  gauge: "gauge",
  histogram: "histogram",
};

const rows = rowsOf(page);
const everyKind = new EveryKind();
let collected: ReadonlyMap<string, readonly Measured[]>;
let scraped: string;

beforeAll(async () => {
  const measurement = new Measurement();
  const exporter = new PrometheusExporter({ preventServerStart: true });
  const provider = new MeterProvider({ readers: [exporter] });
  const server = createServer((request, response) => exporter.getMetricsRequestHandler(request, response));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const options = { label: "here", keys: { max: 1 } };
  const measured = [measurement.meter, provider.getMeter("my-app")].map((meter) =>
    instrument(everyKind.sources, { ...options, meter }),
  );
  everyKind.happen();
  collected = await measurement.collect();
  scraped = await (await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`)).text();
  for (const instrumentation of measured) instrumentation.stop();
  server.close();
  await measurement.provider.shutdown();
  await provider.shutdown();
});

describe("the page of metrics", () => {
  it("has every instrument, its type and its unit", () => {
    expect([...rows.keys()].toSorted()).toEqual(names.toSorted());
    for (const name of names) {
      const { type, unit } = instrumentOf(name);
      expect(rows.get(name), name).toMatchObject({ type: TYPES[type], unit });
    }
  });

  it("has the name that the exporter for Prometheus gives it, and no other is there", () => {
    const families = [...scraped.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, family = "", type = ""]) => [
      family,
      type,
    ]);
    const ours = families.filter(([family]) => family !== "target_info");
    const written = [...rows.values()].map(({ prometheus, type }) => [prometheus, PROMETHEUS_TYPES[type]]);
    expect(ours.toSorted()).toEqual(written.toSorted());
  });

  it("has exactly the attributes that its series have", () => {
    expect([...collected.keys()].toSorted()).toEqual(names.toSorted());
    const common = new Set(["dt.name", "dt.kind", "dt.label"]);
    for (const [name, points] of collected) {
      const attributes = points.flatMap((point) => Object.keys(point.attributes));
      const own = [...new Set(attributes)].filter((attribute) => !common.has(attribute));
      expect(rows.get(name)?.attributes, name).toEqual(own.toSorted());
      for (const point of points) expect(point.attributes["dt.label"], name).toBe("here");
    }
    const [, explained = ""] = page.split("\n## Attributes\n");
    const [text = ""] = explained.split("\n## ");
    for (const { attributes } of rows.values())
      for (const attribute of attributes) expect(text).toContain(`\`${attribute}\``);
  });

  it("has the buckets", () => {
    for (const name of names) {
      const { buckets } = instrumentOf(name);
      if (buckets) expect(page.replaceAll("\n", " ")).toContain(`${buckets.join(", ")}.`);
    }
  });
});

describe("the README", () => {
  const readme = read("../README.md");

  it("lists every option", () => {
    const [, rest = ""] = readme.split("\n## Options\n");
    const options = [...rest.matchAll(/^\| `(\w+)`/gm)].map(([, name = ""]) => name);
    try {
      instrument([], { unknown: 1 } as never);
      expect.unreachable();
    } catch (error) {
      if (!isDtError(error, "DT_INVALID_OPTION")) throw error;
      expect(/known are (.+)$/.exec(error.message)?.[1]?.split(", ")).toEqual(options);
    }
  });
});
