// Uses a store, listens to a group, and ends without closing anything.
import { sqliteStore } from "@dt/sqlite";
import { registration } from "../support/registration.ts";

const [path] = process.argv.slice(2) as [string];
const store = sqliteStore({ path });
await store.register("g", registration("a"));
await store.onHint("g", () => {});
console.log("done");
