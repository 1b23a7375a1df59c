const assert = require("node:assert/strict");
const { checkSpec, throttleFromNumaflow, throttleOptionsOf } = require("@dt/numaflow");

const spec = {
  apiVersion: "numaflow.numaproj.io/v1alpha1",
  kind: "Pipeline",
  metadata: { name: "orders", namespace: "prod" },
  spec: {
    limits: { rateLimit: { max: 100, min: 10, rampUpDuration: "1m30s" } },
    vertices: [{ name: "call-api", udf: {} }],
  },
};

async function main() {
  assert.equal(throttleOptionsOf(spec, "call-api").name, "prod/orders-call-api-pl");
  assert.equal(checkSpec(JSON.stringify(spec)).ok, true);

  const { throttle, close } = await throttleFromNumaflow(spec, "call-api");
  assert.equal(await throttle.run(() => "called", { timeout: "10s" }), "called");
  await close();
}

main();
