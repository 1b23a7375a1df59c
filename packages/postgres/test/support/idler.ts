// A process that listens, joins and then has nothing more to do: it must end by itself.
// Arguments: connection string, schema.

import { newcomer } from "@dt-tooling/simulator/requests";
import { postgresStore } from "../../src/index.ts";

const [connectionString = "", schema = ""] = process.argv.slice(2);
const store = postgresStore({ connectionString, schema, hints: true, timeout: "10s" });
await store.onHint?.("g", () => {});
await store.register("g", newcomer());
