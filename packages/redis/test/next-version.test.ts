import { type RedisServer, startRedis } from "@dt-tooling/backends";
import { failure } from "@dt-tooling/backends/failure";
import { accepted, adopting, newcomer } from "@dt-tooling/worlds/requests";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { RedisStore } from "../src/index.ts";

/**
 * This version and a made-up next one side by side: its members have one field more, `weight`, which older rows have as
 * 1.
 */
function ofNextVersion(rows: string): string {
  const change = (text: string, from: string, to: string): string => {
    expect(text.split(from), from).toHaveLength(2);
    return text.replace(from, to);
  };
  return [
    ["local VERSION = 1", "local VERSION = 2"],
    ["local function read_member(v)", "local function read_member(v, version)"],
    ["incarnation = false,", "weight = version < 2 and 1 or whole(MOST_TOKENS, v[16]), incarnation = false,"],
    ["}, 15", "}, version < 2 and 15 or 16"],
    ["m.standing, m.joined)", "m.standing, m.joined, m.weight or 7)"],
  ].reduce((text, [from, to]) => change(text, from as string, to as string), rows);
}

let server: RedisServer;
let present: RedisStore;
let next: RedisStore;

beforeAll(async () => {
  server = await startRedis({ control: true });
  present = (await import("../src/index.ts")).redisStore({ url: server.url, timeout: "5s" });
  vi.resetModules();
  vi.doMock("../src/lua/rows.lua", async (actual) => ({
    default: ofNextVersion((await actual<{ readonly default: string }>()).default),
  }));
  next = (await import("../src/index.ts")).redisStore({ url: server.url, timeout: "5s" });
  // Files after this one share the process: they must not get the next version.
  vi.doUnmock("../src/lua/rows.lua");
  vi.resetModules();
});

afterAll(async () => {
  await Promise.all([present?.close(), next?.close()]);
  await server?.stop();
});

test("a next version reads this one's rows, with the value that a new field had before, and goes on with the group", async () => {
  const [a, b, c] = [newcomer({ max: 12 }), newcomer({ max: 12 }), newcomer({ max: 12 })];
  await present.register("g", a);
  const before = accepted(await present.register("g", b));
  expect(await next.inspect("g")).toMatchObject({ poolSize: 2, generation: before.generation, learning: false });
  const joined = accepted(await next.register("g", c));
  expect(joined).toMatchObject({ poolSize: 3, learning: false });
  const synced = accepted(await next.sync("g", b, adopting(joined, 2, { max: 12, held: 0 })));
  expect(synced).toMatchObject({ poolSize: 3, generation: joined.generation, learning: false });
});

test("this version refuses what the next one wrote, and changes nothing", async () => {
  const [a, b] = [newcomer(), newcomer()];
  const view = accepted(await present.register("h", a));
  await next.register("h", b);
  const rows = async () => (await next.inspect("h")).members.map(({ silentMs, ...member }) => member);
  const sound = await rows();
  for (const call of [() => present.sync("h", a, adopting(view, 2)), () => present.inspect("h")]) {
    const error = await failure(call());
    expect(error).toMatchObject({ code: "DT_STORE_DATA", effect: "definite" });
    expect(error.message).toContain("format version 2");
  }
  expect(await rows()).toEqual(sound);
});
