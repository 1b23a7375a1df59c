import { expect, test } from "vitest";
import { happened, introduction, recovered } from "../../src/demo/report/words.ts";
import { goodResult } from "../support/result.ts";

test("what the demo shows while it runs fits a terminal of 80 columns, behind the time", () => {
  const kinds = ["start", "join", "kill", "leave"] as const;
  const settings = { ...goodResult, max: 10_000, headroom: 300, workers: 32 };
  expect(introduction(settings, 303, "an SQLite file").filter((line) => line.length > 80)).toEqual([]);
  const lines = kinds.flatMap((kind) => happened({ kind, worker: 33, atMs: 0, tookMs: undefined }));
  expect([...lines, recovered(12_345, 9_700)].filter((line) => line.length > 71)).toEqual([]);
  expect(lines).toContain("process 33 is killed without warning (SIGKILL)");
});
