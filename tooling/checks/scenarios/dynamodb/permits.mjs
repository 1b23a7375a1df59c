import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { createPacer } from "@dt/core";
import { createTable, dynamodbStore } from "@dt/dynamodb";

const client = new DynamoDBClient();
await createTable(client, "throttle");

const store = dynamodbStore({ table: "throttle", client });
const pacer = createPacer({ name: "partner-api", every: "200ms", store });

for (let i = 0; i < 3; i++) {
  await pacer.acquire(); // one every 200 ms, over all processes together
  console.log("call", i);
}

await pacer.stop();
await store.close();
client.destroy();
