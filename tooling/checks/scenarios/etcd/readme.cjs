const { createThrottle } = require("@dt/core");
const { etcdStore } = require("@dt/etcd");

async function main() {
  const store = etcdStore({ endpoints: (process.env.ETCD_ENDPOINTS ?? "http://127.0.0.1:2379").split(",") });
  const throttle = createThrottle({ name: "payments-api", max: 500, interval: "1s", store });

  for (let i = 0; i < 3; i++) {
    await throttle.acquire(1);
    console.log("call", i); // at most 500 a second, over all processes together
  }

  await throttle.stop();
  await store.close();
}

main();
