import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { createThrottle } from "@dt/core";
import { createTable, dynamodbStore } from "@dt/dynamodb";

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
