const { DynamoDBClient } = require("@aws-sdk/client-dynamodb");
const { createThrottle } = require("@dt/core");
const { createTable, dynamodbStore } = require("@dt/dynamodb");

async function main() {
  const client = new DynamoDBClient();
  await createTable(client, "throttle"); // for a first step: in production a template makes it, see below

  const store = dynamodbStore({ table: "throttle", client });
  const throttle = createThrottle({ name: "payments-api", max: 500, interval: "1s", store });

  for (let i = 0; i < 3; i++) {
    await throttle.acquire(1);
    console.log("call", i); // at most 500 a second, over all processes together
  }

  await throttle.stop();
  await store.close();
  client.destroy();
}

main();
