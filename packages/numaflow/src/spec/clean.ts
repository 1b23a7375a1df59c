import { nearestName } from "@dt/core/internal";
import type { SpecProblem } from "./problem.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Deeper than any `limits` block of the API. It bounds the walk where a value contains itself. */
const DEEPEST = 12;

/** Names near `limits` and `rateLimit` that fields of a spec or a vertex do not have. */
const MISPLACED = /^(?:limit|rate_?limits?)$/i;

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * The spec of a resource as the API server keeps it: fields that are null are left out of `limits`. Reports a limit
 * that stands where Numaflow does not look for it.
 */
export function cleanSpec(spec: unknown, field: string, problems: SpecProblem[]): unknown {
  if (!isFields(spec)) return spec;
  problems.push(...misplaced(spec, field));
  const { limits, vertices, pipeline } = spec;
  return {
    ...spec,
    ...(limits === undefined ? {} : { limits: withoutNulls(limits, `${field}.limits`, problems) }),
    ...(Array.isArray(vertices)
      ? { vertices: vertices.map((vertex, i) => cleanSpec(vertex, `${field}.vertices[${i}]`, problems)) }
      : {}),
    ...(isFields(pipeline) ? { pipeline: cleanSpec(pipeline, `${field}.pipeline`, problems) } : {}),
  };
}

function misplaced(spec: Fields, field: string): SpecProblem[] {
  return Object.keys(spec).flatMap((key) => {
    const isNear = MISPLACED.test(key) || (key !== "limits" && nearestName(key, ["limits"]) !== undefined);
    if (!isNear) return [];
    const right = /rate/i.test(key) ? `${field}.limits.rateLimit` : `${field}.limits`;
    return [{ field: `${field}.${key}`, message: `there is no such field; did you mean ${right}?` }];
  });
}

function withoutNulls(value: unknown, field: string, problems: SpecProblem[], depth = 0): unknown {
  if (depth > DEEPEST) return value;
  if (value === null) return undefined;
  if (!isFields(value)) return value;
  const inModes = field.endsWith(".modes");
  const kept = Object.entries(value).filter(([key, inner]) => {
    if (inner === null && inModes)
      problems.push({
        field: `${field}.${key}`,
        message: `it is null, which the API server leaves out, so that the mode is relaxed; give ${key}: {}`,
      });
    return inner !== null;
  });
  const entries = kept.map(([key, inner]) => [key, withoutNulls(inner, `${field}.${key}`, problems, depth + 1)]);
  return Object.fromEntries(entries);
}
