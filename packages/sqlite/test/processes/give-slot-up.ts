// Holds the one slot of a semaphore, and gives it up when it is told to.
import { once } from "node:events";
import { sqliteStore } from "@dt/sqlite";
import { ref, registration } from "../support/registration.ts";
import { semaphoreReport, semaphoreTerms } from "../support/semaphore.ts";

const [path, group] = process.argv.slice(2) as [string, string];
const store = sqliteStore({ path, timeout: "10s" });
await store.register(group, registration("holder", semaphoreTerms));
await store.sync(group, ref("holder"), semaphoreReport(2, 0, 1));
console.log("holds");
await once(process.stdin, "data");
await store.sync(group, ref("holder"), semaphoreReport(3, 0, 0));
console.log("gave it up");
await store.close();
process.stdin.destroy();
