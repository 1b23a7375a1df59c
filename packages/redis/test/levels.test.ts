import { newcomer } from "@dt-tooling/simulator/requests";
import { expect, test } from "vitest";
import { groupKeys } from "../src/keys.ts";
import { redis, useServer } from "./support/own-server.ts";
import { ScriptedLedger } from "./support/scripted-ledger.ts";

const NOW_MS = 4_000_000_000_500;
const RESUME_MS = 60_000;

useServer();

test("levels whose time is over are forgotten when the next one is remembered", async () => {
  const ledger = new ScriptedLedger(redis, "levels");
  const [rows = "", , , levels = ""] = groupKeys("levels", "g").keys;
  const leave = async (id: string, atMs: number): Promise<void> => {
    const member = newcomer({ id, level: 1, resumeWithinMs: RESUME_MS });
    await ledger.register("g", member, atMs);
    await ledger.deregister("g", member, { seq: 2, level: 2 }, atMs);
  };
  const remembered = async (): Promise<string[]> => {
    // The nameless one is a mark of the whole.
    const ids = (await redis.zrange(levels, "0", "-1")).filter((id) => id !== "").sort();
    const fields = (await redis.hkeys(rows)).filter((field) => field.startsWith("l:")).sort();
    expect(fields).toEqual(ids.map((id) => `l:${id}`));
    return ids;
  };
  await leave("a", NOW_MS);
  await leave("b", NOW_MS + 1);
  await leave("c", NOW_MS + RESUME_MS - 1);
  expect(await remembered()).toEqual(["a", "b", "c"]);
  await leave("d", NOW_MS + RESUME_MS + 1);
  expect(await remembered()).toEqual(["c", "d"]);
});
