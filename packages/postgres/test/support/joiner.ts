// A process that opens a store, waits for a line on standard input, joins a group and says what it was answered.
// Arguments: connection string, schema, group, id.
import { once } from "node:events";
import { newcomer } from "@dt-tooling/simulator/requests";
import { postgresStore } from "../../src/index.ts";

const [connectionString = "", schema = "", group = "", id = ""] = process.argv.slice(2);
const store = postgresStore({ connectionString, schema, timeout: "20s" });
process.stdout.write("ready\n");
await once(process.stdin, "data");
const view = await store.register(group, newcomer({ id }));
await store.close();
process.stdout.write(`joined ${JSON.stringify(view)}\n`);
process.stdin.destroy();
