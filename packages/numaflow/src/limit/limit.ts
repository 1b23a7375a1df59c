import type { ModeOption } from "@dt/core";
import { goDurationMs } from "../go-duration.ts";
import type { SpecProblem } from "../spec/problem.ts";
import type { Resource, VertexSpec } from "../spec/resources.ts";
import { planStore, type StorePlan } from "../store/plan.ts";
import { type EffectiveLimit, effectiveLimit, type Given } from "./inherit.ts";
import { modeOption } from "./mode.ts";

/** The options of `createThrottle` that a spec has; `store` is added to them. */
export interface NumaflowThrottleOptions {
  /** The name of the limit in the store. */
  readonly name: string;
  /** Tokens a second over all processes. A token of a source is a read. */
  readonly max: number;
  /** Tokens a second at the start of the ramp. */
  readonly min: number;
  /** The length of the ramp, in milliseconds. */
  readonly rampUp: number;
  /** How the pool grows from `min` to `max`. */
  readonly mode: ModeOption;
  /** One second, in milliseconds. */
  readonly interval: 1_000;
  /**
   * How long the level of a stopped member is kept, in milliseconds.
   * @default none: `resumedRampUp` is false
   */
  readonly resumeWithin?: number;
}

/** What a token of a source or a MonoVertex is: a read of up to `readBatchSize` messages, or one message. */
export type TokenUnit = "reads" | "messages";

/** How a spec is read. */
export interface LimitOptions {
  /**
   * The first part of the limit's name, so that equal names in two namespaces are two limits. `false`: the name is the
   * one that Numaflow forms, and namespaces on one Redis share the limit.
   * @default `metadata.namespace` of the spec, none where it has none
   */
  readonly namespace?: string | false;
  /**
   * What a token of a source or a MonoVertex is. `"reads"`: one read, as in Numaflow, with `max` and `min` divided by
   * `readBatchSize` and rounded up. `"messages"`: one message, and nothing is divided.
   * @default "reads"
   */
  readonly count?: TokenUnit;
}

/** A vertex with a limit, and what becomes of it. */
export interface VertexLimit {
  readonly vertex: VertexSpec;
  readonly limit: EffectiveLimit;
  /** Messages of one token: 1 but for sources that count reads. */
  readonly messagesPerToken: number;
  readonly plan: StorePlan;
  /** Of no use where there are problems. */
  readonly options: NumaflowThrottleOptions;
  readonly problems: readonly SpecProblem[];
}

/** What becomes of the limit of a vertex; undefined where it has none. */
export function limitOf(resource: Resource, vertex: VertexSpec, options: LimitOptions): VertexLimit | undefined {
  const limit = effectiveLimit(vertex);
  if (limit === undefined) return undefined;
  const problems: SpecProblem[] = [];
  const { max, min, rampUpDuration, resumedRampUp, ttl, modes, store, readBatchSize } = limit;
  const messagesPerToken = isDivided(vertex) && options.count !== "messages" ? readBatchSize.value : 1;
  checkBounds(vertex, max, min, problems);
  const tokens = (messages: number): number => Math.ceil(messages / messagesPerToken);
  return {
    vertex,
    limit,
    messagesPerToken,
    plan: planStore(store.value, `${fieldOf(vertex, store)}.rateLimit.store`, problems),
    options: {
      name: nameIn(options.namespace ?? resource.namespace ?? false, vertex.storeName),
      max: tokens(max?.value ?? 1),
      min: tokens(min.value),
      rampUp: goDurationMs("rampUpDuration", rampUpDuration.value),
      mode: modeOption(modes.value),
      interval: 1_000,
      ...(resumedRampUp.value ? { resumeWithin: wholeSeconds(goDurationMs("ttl", ttl.value)) } : {}),
    },
    problems,
  };
}

/** Whether `max` and `min` count reads in Numaflow. */
export function isDivided({ role }: VertexSpec): boolean {
  return role === "source" || role === "monovertex";
}

/** The name of a limit in the store. */
export function nameIn(namespace: string | false, name: string): string {
  return namespace === false ? name : `${namespace}/${name}`;
}

/** Where a value of a limit stands. */
export function fieldOf({ field, aboveField }: VertexSpec, { from }: Given<unknown>): string {
  return from === "pipeline" ? aboveField : field;
}

function checkBounds(
  vertex: VertexSpec,
  max: Given<number> | undefined,
  min: Given<number>,
  problems: SpecProblem[],
): void {
  const field = `${vertex.field}.rateLimit.max`;
  if (max === undefined) {
    problems.push({ field, message: "it is missing, here and in the pipeline; give messages a second" });
  } else if (max.value < min.value) {
    const place = (one: Given<number>): string => (one.from === "default" ? "by default" : `of the ${one.from}`);
    problems.push({
      field,
      message:
        `max ${max.value} (${place(max)}) is below min ${min.value} (${place(min)}), where the ramp begins; ` +
        "give a min of at most max. Numaflow accepts it, and its unsigned subtraction max - min underflows",
    });
  }
}

/** Numaflow uses the whole seconds of `ttl`. */
function wholeSeconds(ms: number): number {
  return Math.floor(ms / 1_000) * 1_000;
}
