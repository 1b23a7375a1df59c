import { createThrottle } from "@dt/core";
import { envSource, podCountStore } from "@dt/pod-count";

process.env.REPLICAS ??= "5"; // In a pod template, next to spec.replicas.
const store = podCountStore({ source: envSource("REPLICAS") });
const throttle = createThrottle({ name: "payments-api", max: 500, interval: "1s", store });

for (let i = 0; i < 3; i++) {
  await throttle.acquire(1);
  console.log("call", i); // at most 100 a second here, 500 over five processes
}

await throttle.stop();
await store.close();
