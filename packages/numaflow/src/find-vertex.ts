import { DtError } from "@dt/core";
import { invalidOption, nearestName, option, settingsOf, type TableOf } from "@dt/core/internal";
import { type LimitOptions, limitOf, type VertexLimit } from "./limit/limit.ts";
import { type Resource, readResources, type VertexSpec } from "./spec/resources.ts";

/** How many problems an error names. */
const MOST_NAMED = 3;

const LIMIT_OPTIONS = {
  namespace: option.checked((name, given) => {
    if (given === undefined || given === false) return given;
    if (typeof given === "string" && /^[^/\s]+$/.test(given)) return given;
    throw invalidOption(name, given, "give the name of a namespace, or false for none");
  }),
  count: option.oneOf("reads", "messages").or("reads"),
} satisfies TableOf<LimitOptions>;

/** @throws DtError `DT_INVALID_OPTION` */
export function checkLimitOptions(options: LimitOptions): LimitOptions {
  const { namespace, count } = settingsOf(LIMIT_OPTIONS, options);
  return { count, ...(namespace === undefined ? {} : { namespace }) };
}

/**
 * The limit of one vertex of a spec.
 * @param vertex its name. It may be left out where the spec has one vertex
 * @throws DtError `DT_INVALID_OPTION` where the spec has problems, no such vertex, or no limit for it
 */
export function vertexLimit(spec: string | object, vertex: string | undefined, options: LimitOptions): VertexLimit {
  const { resources } = readResources(spec);
  const { resource, found } = findVertex(resources, vertex);
  const limit = limitOf(resource, found, options);
  if (limit === undefined)
    throw new DtError(
      "DT_INVALID_OPTION",
      `the vertex "${found.name}" has no rateLimit, nor has its pipeline; give one in ${found.field}.rateLimit`,
    );
  refuse(resource.name, limit.problems);
  return limit;
}

function findVertex(
  resources: readonly Resource[],
  name: string | undefined,
): { readonly resource: Resource; readonly found: VertexSpec } {
  if (name !== undefined && typeof name !== "string") throw invalidOption("vertex", name, "give the name of a vertex");
  for (const { name: of, problems } of resources) refuse(of, problems);
  const all = resources.flatMap((resource) => resource.vertices.map((found) => ({ resource, found })));
  const named = name === undefined ? all : all.filter(({ found }) => found.name === name);
  const [only, ...others] = named;
  if (only !== undefined && others.length === 0) return only;
  const names = all.map(({ found }) => found.name);
  const known = `it has ${names.join(", ")}`;
  if (name === undefined) throw invalidOption("vertex", name, `give the name of a vertex of the spec; ${known}`);
  if (only === undefined) {
    const meant = nearestName(name, names);
    throw invalidOption(
      "vertex",
      name,
      `the spec has no such vertex; ${meant ? `did you mean ${meant}? ` : ""}${known}`,
    );
  }
  const places = named.map(({ resource }) => `${resource.kind} ${resource.name}`);
  throw invalidOption("vertex", name, `several resources have it: ${places.join(", ")}; give a spec with one of them`);
}

function refuse(of: string, problems: readonly { readonly field: string; readonly message: string }[]): void {
  if (problems.length === 0) return;
  const named = problems.slice(0, MOST_NAMED).map(({ field, message }) => `${field}: ${message}`);
  const more = problems.length > MOST_NAMED ? [`${problems.length - MOST_NAMED} more`] : [];
  throw new DtError("DT_INVALID_OPTION", `the spec of ${of} has problems: ${[...named, ...more].join(". ")}`);
}
