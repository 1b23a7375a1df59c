// Uses a store, watches a group, and ends without closing anything.
import { sqliteStore } from "@dt/sqlite";
import { registration } from "../support/registration.ts";

const [path] = process.argv.slice(2) as [string];
const store = sqliteStore({ path });
await store.register("g", registration("a"));
await store.watch("g", () => {});
console.log("done");
