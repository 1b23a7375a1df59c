import { createPacer } from "@dt/core";
import { etcdStore } from "@dt/etcd";

const store = etcdStore({ endpoints: (process.env.ETCD_ENDPOINTS ?? "http://127.0.0.1:2379").split(",") });
const pacer = createPacer({ name: "partner-api", every: "200ms", store });

for (let i = 0; i < 3; i++) {
  await pacer.acquire(); // one every 200 ms, over all processes together
  console.log("call", i);
}

await pacer.stop();
await store.close();
