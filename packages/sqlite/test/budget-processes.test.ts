import { testBudgetProcesses } from "@dt-tooling/simulator/hybrid";
import { Sandbox } from "./support/sandbox.ts";

const sandbox = new Sandbox();

// The machine's clock counts whole milliseconds, and NTP may slow it down.
testBudgetProcesses(
  () => ({
    module: new URL("../src/index.ts", import.meta.url).href,
    factory: "sqliteStore",
    store: { path: sandbox.path(), timeout: "5s" },
  }),
  10,
);
