import { readFileSync } from "node:fs";
import { parse } from "yaml";

/** A file of the example as data. */
export const yaml = (path: string): unknown =>
  parse(readFileSync(new URL(`../../${path}`, import.meta.url), "utf8")) as unknown;

/** The fields of a ScaledObject that are looked at here. */
export interface ScaledObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly scaleTargetRef: { readonly name: string };
    readonly minReplicaCount: number;
    readonly maxReplicaCount: number;
    readonly triggers: readonly {
      readonly type: string;
      readonly metricType: string;
      readonly metadata: Readonly<Record<string, string>>;
    }[];
  };
}

/** The query that KEDA asks Prometheus. */
export function kedaQuery(): string {
  const { spec } = yaml("autoscaling/keda.yaml") as ScaledObject;
  return spec.triggers[0]?.metadata["query"] as string;
}
