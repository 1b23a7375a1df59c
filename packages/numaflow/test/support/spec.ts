import { readFileSync } from "node:fs";
import type { FieldReport, VertexReport } from "../../src/index.ts";
import { checkSpec, type LimitOptions } from "../../src/index.ts";

/** The text of a file of test/specs. */
export function published(file: string): string {
  return readFileSync(new URL(`../specs/${file}`, import.meta.url), "utf8");
}

/** A pipeline with one vertex, and a limit on it, on the pipeline, or on both. */
export interface PipelineParts {
  readonly limits?: object;
  readonly vertex?: object;
  readonly namespace?: string;
}

/** A Pipeline named `pl` with the vertex `v`, a map unless it is given as something else. */
export function pipelineOf({ limits, vertex, namespace }: PipelineParts): object {
  return {
    apiVersion: "numaflow.numaproj.io/v1alpha1",
    kind: "Pipeline",
    metadata: { name: "pl", ...(namespace === undefined ? {} : { namespace }) },
    spec: { ...(limits === undefined ? {} : { limits }), vertices: [{ name: "v", udf: {}, ...vertex }] },
  };
}

/** A pipeline whose vertex has this limit. */
export function withLimit(rateLimit: object, others: Omit<PipelineParts, "limits"> = {}): object {
  return pipelineOf({ ...others, vertex: { ...others.vertex, limits: { rateLimit } } });
}

/** What is reported of the one vertex of a spec, or of the named one. */
export function reportOf(spec: string | object, vertex?: string, options: LimitOptions = {}): VertexReport {
  const { resources } = checkSpec(spec, { ...options, ...(vertex === undefined ? {} : { vertex }) });
  const [report] = resources.flatMap(({ vertices }) => vertices);
  if (report === undefined) throw new Error("no vertex was reported");
  return report;
}

/** The fields of a report as rows. */
export function rows(report: VertexReport): string[][] {
  return (report.limit?.fields ?? []).map(({ field, value, from, becomes }: FieldReport) => [
    field,
    value,
    from,
    becomes,
  ]);
}

/** All problems of a spec, each as one line. */
export function problemsOf(spec: string | object): string[] {
  return checkSpec(spec).resources.flatMap(({ problems, vertices }) =>
    [...problems, ...vertices.flatMap(({ limit }) => limit?.problems ?? [])].map(
      ({ field, message }) => `${field}: ${message}`,
    ),
  );
}
