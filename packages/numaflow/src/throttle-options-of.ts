import { checkLimitOptions, vertexLimit } from "./find-vertex.ts";
import type { LimitOptions, NumaflowThrottleOptions } from "./limit/limit.ts";

/**
 * The options of `createThrottle` that a Numaflow spec has for one vertex. Pure: nothing is opened, no secret is read.
 * @param spec the text of a YAML file with a Pipeline, Vertex, MonoVertex or ServingPipeline, or the object that was
 *   read from it
 * @param vertex the name of the vertex. It may be left out where the spec has one, as that of a MonoVertex
 * @param options how the spec is read
 * @throws DtError `DT_INVALID_OPTION` where the spec has problems, no such vertex, or no limit for it
 * @example const throttle = createThrottle({ ...throttleOptionsOf(spec, "call-llm"), store });
 */
export function throttleOptionsOf(
  spec: string | object,
  vertex?: string,
  options: LimitOptions = {},
): NumaflowThrottleOptions {
  return vertexLimit(spec, vertex, checkLimitOptions(options)).options;
}
