import { invalidOption } from "@dt/core/internal";
import { checkLimitOptions } from "./find-vertex.ts";
import { type LimitOptions, limitOf, type NumaflowThrottleOptions, type VertexLimit } from "./limit/limit.ts";
import { type Difference, differencesOf } from "./report/differences.ts";
import { type FieldReport, fieldsOf } from "./report/fields.ts";
import type { SpecProblem } from "./spec/problem.ts";
import {
  type NumaflowKind,
  type Resource,
  readResources,
  type SkippedDocument,
  type VertexRole,
} from "./spec/resources.ts";
import { addressOf } from "./store/plan.ts";

/** What becomes of the limit of one vertex. */
export interface VertexReport {
  /** The name of the vertex. */
  readonly vertex: string;
  /** What the vertex is made for. */
  readonly role: VertexRole;
  /**
   * What becomes of its limit.
   * @default none: nothing limits the vertex
   */
  readonly limit?: {
    /** What `throttleOptionsOf` answers. Of no use where there are problems. */
    readonly options: NumaflowThrottleOptions;
    /** How many messages one token is. */
    readonly messagesPerToken: number;
    /** Every field of the block, its place, and the option that takes it over. */
    readonly fields: readonly FieldReport[];
    /** What is different here, or surprising in Numaflow. */
    readonly differences: readonly Difference[];
    /** What is wrong with it. */
    readonly problems: readonly SpecProblem[];
  };
}

/** One resource of a file. */
export interface ResourceReport {
  /** Which document of the file it is in, from 1 on. */
  readonly document: number;
  /** The kind of the resource. */
  readonly kind: NumaflowKind;
  /** The name of the resource, `"?"` where it has none. */
  readonly name: string;
  /**
   * The namespace in the resource.
   * @default none
   */
  readonly namespace?: string;
  /** None where the resource itself has problems. */
  readonly vertices: readonly VertexReport[];
  /** What is wrong with the resource itself. */
  readonly problems: readonly SpecProblem[];
}

/** What `checkSpec` answers. */
export interface SpecReport {
  /** True where there is no problem. */
  readonly ok: boolean;
  /** The resources with limits, in the order of the file. */
  readonly resources: readonly ResourceReport[];
  /** Documents without limits. */
  readonly skipped: readonly SkippedDocument[];
}

/** Options of `checkSpec`. */
export interface CheckSpecOptions extends LimitOptions {
  /**
   * The name of the vertex to report of.
   * @default all
   */
  readonly vertex?: string;
}

/**
 * Checks all documents of a Numaflow spec: what each field of each limit becomes, what is wrong, and what differs here.
 * Pure: nothing is opened, no secret is read.
 * @param spec the text of a YAML file, or the object read from it
 * @param options how the spec is read, and of which vertex to report
 * @throws DtError `DT_INVALID_OPTION` where the text cannot be read, or has no resource or vertex to check
 * @example const { ok, resources } = checkSpec(await readFile("pipeline.yaml", "utf8"));
 */
export function checkSpec(spec: string | object, options: CheckSpecOptions = {}): SpecReport {
  const { vertex, ...rest } = options;
  const checked = checkLimitOptions(rest);
  const { resources, skipped } = readResources(spec);
  const all = resources.map((resource) => ({ resource, limits: limitsOf(resource, checked) }));
  const clashes = clashesOf(all.flatMap(({ limits }) => limits.flatMap(({ found }) => found ?? [])));
  const reports = all
    .map(({ resource, limits }) => reportOf(resource, limits, vertex, clashes))
    .filter(({ vertices, problems }) => vertex === undefined || vertices.length > 0 || problems.length > 0);
  const reported = reports.flatMap(({ vertices }) => vertices);
  const problems = reports.flatMap((report) => [
    ...report.problems,
    ...report.vertices.flatMap(({ limit }) => limit?.problems ?? []),
  ]);
  if (vertex !== undefined && reported.length === 0 && problems.length === 0) {
    const names = resources.flatMap(({ vertices }) => vertices.map(({ name }) => name));
    throw invalidOption("vertex", vertex, `the spec has no such vertex; it has ${names.join(", ")}`);
  }
  return { ok: problems.length === 0, resources: reports, skipped };
}

interface Found {
  readonly vertex: Resource["vertices"][number];
  readonly found: VertexLimit | undefined;
}

function limitsOf(resource: Resource, options: LimitOptions): readonly Found[] {
  return resource.vertices.map((vertex) => ({ vertex, found: limitOf(resource, vertex, options) }));
}

function reportOf(
  { document, kind, name, namespace, problems }: Resource,
  limits: readonly Found[],
  only: string | undefined,
  clashes: ReadonlyMap<VertexLimit, SpecProblem>,
): ResourceReport {
  const chosen = limits.filter(({ vertex }) => only === undefined || vertex.name === only);
  const vertices = chosen.map(({ vertex, found }): VertexReport => {
    const common = { vertex: vertex.name, role: vertex.role };
    if (found === undefined) return common;
    const { options, messagesPerToken } = found;
    const clash = clashes.get(found);
    const wrong = [...found.problems, ...(clash === undefined ? [] : [clash])];
    const [fields, differences] = [fieldsOf(found), differencesOf(found)];
    return { ...common, limit: { options, messagesPerToken, fields, differences, problems: wrong } };
  });
  return { document, kind, name, ...(namespace === undefined ? {} : { namespace }), vertices, problems };
}

/** Limits with one name in one store, though they are of two vertices: they would be one limit. */
function clashesOf(limits: readonly VertexLimit[]): ReadonlyMap<VertexLimit, SpecProblem> {
  const places = new Map<string, VertexLimit[]>();
  for (const limit of limits) {
    const address = addressOf(limit.plan);
    if (address === undefined) continue;
    const place = `${address} ${limit.options.name}`;
    places.set(place, [...(places.get(place) ?? []), limit]);
  }
  return new Map([...places.values()].flatMap(clashing));
}

function clashing(limits: readonly VertexLimit[]): [VertexLimit, SpecProblem][] {
  if (limits.length < 2) return [];
  return limits.map((limit) => {
    const others = limits.filter((other) => other !== limit).map(({ vertex }) => vertex.name);
    const message = `its name in the store is ${limit.options.name}, as that of another vertex of the file (${others.join(", ")}): they would share one limit; rename one of them, or give the resources namespaces`;
    return [limit, { field: `${limit.vertex.field}.rateLimit`, message }];
  });
}
