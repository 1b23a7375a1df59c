import { describe, expect, it } from "vitest";
import { kedaQuery, type ScaledObject, yaml } from "./fleet/keda.ts";

const words = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

interface Hpa {
  readonly apiVersion: string;
  readonly kind: string;
  readonly spec: {
    readonly scaleTargetRef: { readonly apiVersion: string; readonly kind: string; readonly name: string };
    readonly minReplicas: number;
    readonly maxReplicas: number;
    readonly metrics: readonly {
      readonly type: string;
      readonly external: { readonly metric: { readonly name: string }; readonly target: object };
    }[];
  };
}

interface Recorded {
  readonly groups: readonly { readonly rules: readonly { readonly record: string; readonly expr: string }[] }[];
}

describe("autoscaling", () => {
  // By keda.sh/docs/2.17: scaleTargetRef.name and triggers are required; all metadata of a trigger is text.
  it("with KEDA: a ScaledObject with what its definition requires", () => {
    const { apiVersion, kind, metadata, spec } = yaml("autoscaling/keda.yaml") as ScaledObject;
    expect([apiVersion, kind, metadata.name]).toEqual(["keda.sh/v1alpha1", "ScaledObject", "worker"]);
    expect(spec.scaleTargetRef).toEqual({ name: "worker" });
    expect(spec.minReplicaCount).toBeLessThan(spec.maxReplicaCount);
    expect(spec.triggers.map(({ type, metricType }) => [type, metricType])).toEqual([["prometheus", "AverageValue"]]);
    const trigger = spec.triggers[0]?.metadata as Record<string, string>;
    expect(Object.keys(trigger).sort()).toEqual(["ignoreNullValues", "query", "serverAddress", "threshold"]);
    for (const value of Object.values(trigger)) expect(value).toBeTypeOf("string");
    // Capped at as many jobs for each process as make an autoscaler start one.
    expect(kedaQuery()).toContain(`clamp_max(max(jobs_waiting), ${trigger["threshold"]} * scalar(`);
  });

  it("without KEDA: the series that the rules record, by the same query", () => {
    const { groups } = yaml("prometheus/scaling.yml") as Recorded;
    const [rule] = groups.flatMap(({ rules }) => rules);
    expect(words(rule?.expr ?? "")).toBe(words(kedaQuery()));

    const { apiVersion, kind, spec } = yaml("autoscaling/hpa.yaml") as Hpa;
    expect([apiVersion, kind]).toEqual(["autoscaling/v2", "HorizontalPodAutoscaler"]);
    expect(spec.scaleTargetRef).toEqual({ apiVersion: "apps/v1", kind: "Deployment", name: "worker" });
    expect(spec.minReplicas).toBeLessThan(spec.maxReplicas);
    expect(spec.metrics).toEqual([
      {
        type: "External",
        external: {
          metric: { name: rule?.record.replace(":", "_") },
          target: { type: "AverageValue", averageValue: "10" },
        },
      },
    ]);
  });
});
