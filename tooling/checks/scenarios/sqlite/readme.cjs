const { createThrottle } = require("@dt/core");
const { sqliteStore } = require("@dt/sqlite");

async function main() {
  // Processes on one machine share a file; with @dt/redis or @dt/postgres they may run anywhere.
  const store = sqliteStore({ path: "limits.db" });
  const throttle = createThrottle({ name: "payments", max: 10, interval: "1s", store });
  await throttle.start();

  const pay = throttle.wrap(async (number) => {
    console.log(`payment ${number} at ${new Date().toISOString()}`);
  });
  await Promise.all(Array.from({ length: 25 }, (_, number) => pay(number)));

  await throttle.stop(); // The others take over this process's share at once.
  await store.close();
}

main();
