// Waits for "go", joins a group as the first thing it does with the file, and says what it was answered.
import { once } from "node:events";
import { sqliteStore } from "@dt/sqlite";
import { registration } from "../support/registration.ts";

const [path, group, id] = process.argv.slice(2) as [string, string, string];
const store = sqliteStore({ path, timeout: "10s" });
console.log("ready");
await once(process.stdin, "data");
const view = await store.register(group, registration(id));
console.log(`joined ${JSON.stringify(view)}`);
await store.close();
process.stdin.destroy();
