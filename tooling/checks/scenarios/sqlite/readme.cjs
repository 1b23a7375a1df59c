const { createThrottle } = require("@dt/core");
const { sqliteStore } = require("@dt/sqlite");

async function main() {
  const store = sqliteStore({ path: "limits.db" }); // A file for one machine; Redis or PostgreSQL for many.
  const throttle = createThrottle({ name: "payments", rate: "10/s", release: "even", store });

  const pay = throttle.wrap(async (number) => {
    console.log(`payment ${number} at ${new Date().toISOString()}`);
  });
  await Promise.all(Array.from({ length: 25 }, (_, number) => pay(number)));

  await throttle.stop(); // The other processes take over this one's share at once.
  await store.close();
}

main();
