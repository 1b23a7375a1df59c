import { createThrottle } from "@dt/core";
import { sqliteStore } from "@dt/sqlite";

const store = sqliteStore({ path: "limits.db" });
const throttle = createThrottle({ name: "payments", rate: "10/s", release: "even", store });

let calls = 0;
const pay = throttle.wrap(async () => {
  calls += 1; // Your call to the API stands here.
});

const report = setInterval(() => {
  console.log(`calls in this second: ${calls}, processes: ${throttle.status().members}`);
  calls = 0;
}, 1_000);
await Promise.all(Array.from({ length: 120 }, () => pay()));
clearInterval(report);

await throttle.stop(); // The other processes get its share at once.
await store.close();
console.log("done");
