import { throttleFromNumaflow, throttleOptionsOf } from "@dt/numaflow";

// In a program: await readFile("pipeline.yaml", "utf8").
const spec = `
apiVersion: numaflow.numaproj.io/v1alpha1
kind: Pipeline
metadata: { name: orders, namespace: prod }
spec:
  limits:
    rateLimit: { max: 100, min: 10, rampUpDuration: 1m30s }
  vertices:
    - { name: call-api, udf: {} }
`;

console.log(throttleOptionsOf(spec, "call-api"));

const { throttle, close } = await throttleFromNumaflow(spec, "call-api");
console.log(await throttle.run(() => "called", { timeout: "10s" }));
await close();
