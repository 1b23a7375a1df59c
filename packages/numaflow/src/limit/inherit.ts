import type { LimitsSpec, ModesSpec, StoreSpec } from "../spec/rate-limit.ts";
import type { VertexSpec } from "../spec/resources.ts";

/** Where a value stands: in the block of the vertex, in that of its pipeline, or nowhere. */
export type Origin = "vertex" | "pipeline" | "default";

/** A value, and where it stands. */
export interface Given<Value> {
  readonly value: Value;
  readonly from: Origin;
}

/** The `rateLimit` of a vertex with everything that it inherits, and Numaflow's defaults. */
export interface EffectiveLimit {
  /** Undefined where neither block has it. */
  readonly max: Given<number> | undefined;
  readonly min: Given<number>;
  readonly rampUpDuration: Given<string>;
  readonly resumedRampUp: Given<boolean>;
  readonly ttl: Given<string>;
  readonly modes: Given<ModesSpec>;
  readonly store: Given<StoreSpec>;
  readonly readBatchSize: Given<number>;
  /** True where the vertex has a block of its own, and its pipeline has modes that do not count for it. */
  readonly dropsModes: boolean;
}

/** Numaflow's defaults. */
const DEFAULTS = {
  min: 1,
  rampUpDuration: "1s",
  resumedRampUp: false,
  ttl: "180s",
  modes: {} as ModesSpec,
  store: {} as StoreSpec,
  readBatchSize: 500,
} as const;

/**
 * What holds for a vertex, undefined where nothing limits it. A vertex without `rateLimit` takes the whole of its
 * pipeline's. One with its own inherits `max`, `min`, `rampUpDuration` and `store` alone.
 */
export function effectiveLimit({ own, above }: VertexSpec): EffectiveLimit | undefined {
  const block = own?.rateLimit ?? above?.rateLimit;
  if (block === undefined) return undefined;
  const origin: Origin = own?.rateLimit === undefined ? "pipeline" : "vertex";
  const outer = above?.rateLimit;
  const inherited = <Value>(inBlock: Value | undefined, inOuter: Value | undefined): Given<Value> | undefined =>
    given(inBlock, origin) ?? given(inOuter, "pipeline");
  return {
    max: inherited(block.max, outer?.max),
    min: inherited(block.min, outer?.min) ?? byDefault("min"),
    rampUpDuration: inherited(block.rampUpDuration, outer?.rampUpDuration) ?? byDefault("rampUpDuration"),
    store: inherited(block.store, outer?.store) ?? byDefault("store"),
    resumedRampUp: given(block.resumedRampUp, origin) ?? byDefault("resumedRampUp"),
    ttl: given(block.ttl, origin) ?? byDefault("ttl"),
    modes: given(block.modes, origin) ?? byDefault("modes"),
    readBatchSize: batchSize(own, above),
    dropsModes: origin === "vertex" && block.modes === undefined && outer?.modes !== undefined,
  };
}

function batchSize(own: LimitsSpec | undefined, above: LimitsSpec | undefined): Given<number> {
  return given(own?.readBatchSize, "vertex") ?? given(above?.readBatchSize, "pipeline") ?? byDefault("readBatchSize");
}

function given<Value>(value: Value | undefined, from: Origin): Given<Value> | undefined {
  return value === undefined ? undefined : { value, from };
}

function byDefault<Name extends keyof typeof DEFAULTS>(name: Name): Given<(typeof DEFAULTS)[Name]> {
  return { value: DEFAULTS[name], from: "default" };
}
