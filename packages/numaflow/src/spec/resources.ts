import { DtError } from "@dt/core";
import { invalidOption, nearestName } from "@dt/core/internal";
import type * as z from "zod/mini";
import { cleanSpec, isFields } from "./clean.ts";
import { readDocuments } from "./documents.ts";
import { problemsOf } from "./faults.ts";
import type { SpecProblem } from "./problem.ts";
import type { LimitsSpec } from "./rate-limit.ts";
import { SCHEMAS } from "./schema.ts";

/** The kinds of resources that have limits. */
export type NumaflowKind = "Pipeline" | "ServingPipeline" | "Vertex" | "MonoVertex";

/** The kind of a vertex. */
export type VertexRole = "source" | "sink" | "map" | "reduce" | "monovertex";

/** A vertex, and the limits that stand above it. */
export interface VertexSpec {
  readonly name: string;
  readonly role: VertexRole;
  /** Where its limits stand. */
  readonly field: string;
  readonly own: LimitsSpec | undefined;
  /** Those of its pipeline. */
  readonly above: LimitsSpec | undefined;
  /** Where those stand. */
  readonly aboveField: string;
  /** The name of its limit in the store, as Numaflow forms it. */
  readonly storeName: string;
}

/** One resource of a file. */
export interface Resource {
  /** Which document of the file it is in, from 1 on. */
  readonly document: number;
  readonly kind: NumaflowKind;
  readonly name: string;
  readonly namespace: string | undefined;
  /** None where the resource has problems. */
  readonly vertices: readonly VertexSpec[];
  readonly problems: readonly SpecProblem[];
}

/** A document that has no limits. */
export interface SkippedDocument {
  /** From 1 on. */
  readonly document: number;
  /** Its kind. */
  readonly kind: string;
}

export interface Resources {
  readonly resources: readonly Resource[];
  readonly skipped: readonly SkippedDocument[];
}

const GROUP = "numaflow.numaproj.io/";
const VERSION = `${GROUP}v1alpha1`;
const KINDS = ["Pipeline", "ServingPipeline", "Vertex", "MonoVertex"] as const satisfies readonly NumaflowKind[];
/** Of Numaflow, without limits. */
const OTHER_KINDS = ["InterStepBufferService"];

/**
 * The resources of a spec: the text of a YAML file, or an object that was read from one. A `List` is its items.
 * @throws DtError `DT_INVALID_OPTION` where there is none, or the text cannot be read
 */
export function readResources(spec: string | object): Resources {
  if (typeof spec !== "string" && (typeof spec !== "object" || spec === null))
    throw invalidOption("spec", spec, "give the text of a YAML file, or an object that was read from one");
  const documents = typeof spec === "string" ? readDocuments(spec) : [spec];
  const read = documents.flatMap((value, i) => itemsOf(value).map((item) => readResource(item, i + 1)));
  const resources = read.filter((one): one is Resource => "vertices" in one);
  const skipped = read.filter((one): one is SkippedDocument => !("vertices" in one));
  if (resources.length > 0) return { resources, skipped };
  const found = skipped.length === 0 ? "it is empty" : `it has ${skipped.map(({ kind }) => kind).join(", ")}`;
  throw new DtError(
    "DT_INVALID_OPTION",
    `the spec has no ${KINDS.slice(0, -1).join(", ")} or ${KINDS.at(-1)} of Numaflow: ${found}`,
  );
}

/** `kubectl get -o yaml` puts several resources into a list. */
function itemsOf(value: unknown): readonly unknown[] {
  if (!isFields(value)) return [value];
  const { kind, items } = value;
  return Array.isArray(items) && typeof kind === "string" && kind.endsWith("List") ? items : [value];
}

function readResource(value: unknown, document: number): Resource | SkippedDocument {
  if (!isFields(value)) return { document, kind: "a value that is no object" };
  const { kind, apiVersion, metadata, spec } = value;
  const isOurs = typeof apiVersion === "string" && apiVersion.startsWith(GROUP);
  const known = KINDS.find((one) => one === kind);
  if (known === undefined || (typeof apiVersion === "string" && !isOurs)) {
    const meant = isOurs && !OTHER_KINDS.includes(String(kind)) ? nearestName(String(kind), KINDS) : undefined;
    if (meant === undefined) return { document, kind: typeof kind === "string" ? kind : "an object without kind" };
    return broken(document, meant as NumaflowKind, metadata, { field: "kind", message: `did you mean ${meant}?` });
  }
  if (apiVersion !== VERSION)
    return broken(document, known, metadata, { field: "apiVersion", message: `give ${VERSION}` });
  const problems: SpecProblem[] = [];
  const cleaned = { ...value, spec: cleanSpec(spec, "spec", problems) };
  const schema: z.ZodMiniType = SCHEMAS[known];
  const parsed = schema.safeParse(cleaned);
  if (!parsed.success) problems.push(...problemsOf(schema, cleaned, parsed.error.issues));
  return { document, kind: known, ...nameOf(metadata), vertices: verticesOf(problems, known, parsed.data), problems };
}

function broken(document: number, kind: NumaflowKind, metadata: unknown, problem: SpecProblem): Resource {
  return { document, kind, ...nameOf(metadata), vertices: [], problems: [problem] };
}

function nameOf(metadata: unknown): { readonly name: string; readonly namespace: string | undefined } {
  const { name, namespace } = isFields(metadata) ? metadata : {};
  return {
    name: typeof name === "string" ? name : "?",
    namespace: typeof namespace === "string" ? namespace : undefined,
  };
}

type Checked<Kind extends NumaflowKind> = z.infer<(typeof SCHEMAS)[Kind]>;
type CheckedVertex = Checked<"Pipeline">["spec"]["vertices"][number];

function verticesOf(problems: readonly SpecProblem[], kind: NumaflowKind, data: unknown): readonly VertexSpec[] {
  if (problems.length > 0) return [];
  switch (kind) {
    case "Pipeline": {
      const { metadata, spec } = data as Checked<"Pipeline">;
      return ofPipeline(metadata.name, spec, "spec");
    }
    case "ServingPipeline": {
      // Numaflow runs it as a pipeline of this name.
      const { metadata, spec } = data as Checked<"ServingPipeline">;
      return ofPipeline(`s-${metadata.name}`, spec.pipeline, "spec.pipeline");
    }
    case "Vertex": {
      const { spec } = data as Checked<"Vertex">;
      return [{ ...ofVertex(spec.pipelineName, spec, "spec"), above: undefined, aboveField: "" }];
    }
    case "MonoVertex": {
      const { metadata, spec } = data as Checked<"MonoVertex">;
      const { name } = metadata;
      const common = { name, role: "monovertex", field: "spec.limits", storeName: `${name}-mv` } as const;
      return [{ ...common, own: spec.limits, above: undefined, aboveField: "" }];
    }
  }
}

function ofPipeline(name: string, { limits, vertices }: Checked<"Pipeline">["spec"], field: string): VertexSpec[] {
  return vertices.map((vertex, i) => ({
    ...ofVertex(name, vertex, `${field}.vertices[${i}]`),
    above: limits,
    aboveField: `${field}.limits`,
  }));
}

function ofVertex(pipeline: string, vertex: CheckedVertex, field: string) {
  const { name, limits } = vertex;
  return { name, role: roleOf(vertex), field: `${field}.limits`, own: limits, storeName: `${pipeline}-${name}-pl` };
}

/** In Numaflow's order: a vertex that has several is the first of them. */
function roleOf({ source, sink, udf }: CheckedVertex): VertexRole {
  if (source !== undefined && source !== null) return "source";
  if (sink !== undefined && sink !== null) return "sink";
  return udf?.groupBy !== undefined && udf.groupBy !== null ? "reduce" : "map";
}
