import { it } from "vitest";
import { llmFleet } from "../support/llm-fleet.ts";
it("x", async () => {
  for (const seed of [1, 2]) for (const o of [{}, { lateMs: 20 }, { wrongEstimates: true }]) console.log(seed, JSON.stringify(o), JSON.stringify(await llmFleet({ seed, ...o })));
}, 200000);
