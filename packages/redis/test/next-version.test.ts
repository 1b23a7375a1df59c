import { type RedisServer, startRedis } from "@dt-tooling/backends";
import { failure } from "@dt-tooling/backends/failure";
import { accepted, adopting, newcomer } from "@dt-tooling/simulator/requests";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { RedisStore } from "../src/index.ts";

/**
 * This version and a made-up next one side by side: its members have one field more, `weight`, which older rows have as
 * 1.
 */
const NEXT: Readonly<Record<string, readonly (readonly [from: string, to: string])[]>> = {
  "formats.lua": [
    ["local VERSION = 1", "local VERSION = 2"],
    ["local TAG = 'f1'", "local TAG = 'f2'"],
    ["local HEAD, HEAD_END = '\\162f1', 3", "local HEAD, HEAD_END = '\\162f2', 3"],
    ["gave_up_ms, rest_until_ms, more)", "gave_up_ms, rest_until_ms, weight, more)"],
    ["rest_until_ms <= 1e300 and more", "rest_until_ms <= 1e300 and weight >= 0 and weight <= 1e12 and more"],
  ],
  "rows.lua": [
    ["local function read_member(v)", "local function read_member(v, version) if version < 2 then v[21] = 1 end"],
    ["is_member(unpack(v, 2, 21))", "is_member(unpack(v, 2, 22))"],
    ["incarnation = false,", "weight = v[21], incarnation = false,"],
    ["m.gave_up_ms, m.rest_until_ms)", "m.gave_up_ms, m.rest_until_ms, m.weight or 7)"],
  ],
  "steady.lua": [
    ["rest_until_ms, m_more = unpack_some(member, 17,", "rest_until_ms, weight, m_more = unpack_some(member, 18,"],
    ["gave_up_ms, rest_until_ms, m_more)", "gave_up_ms, rest_until_ms, weight, m_more)"],
  ],
};

function changed(text: string, [from, to]: readonly [string, string]): string {
  expect(text.split(from), from).toHaveLength(2);
  return text.replace(from, to);
}

let server: RedisServer;
let present: RedisStore;
let next: RedisStore;

beforeAll(async () => {
  server = await startRedis({ control: true });
  present = (await import("../src/index.ts")).redisStore({ url: server.url, timeout: "5s" });
  vi.resetModules();
  const paths = Object.entries(NEXT).map(([name, changes]) => {
    const path = new URL(`../src/lua/${name}`, import.meta.url).pathname;
    vi.doMock(path, async (actual) => ({
      default: changes.reduce(changed, (await actual<{ readonly default: string }>()).default),
    }));
    return path;
  });
  next = (await import("../src/index.ts")).redisStore({ url: server.url, timeout: "5s" });
  // Files after this one share the process: they must not get the next version.
  for (const path of paths) vi.doUnmock(path);
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
  expect(await next.inspect("g")).toMatchObject({ memberCount: 2, generation: before.generation, learning: false });
  const joined = accepted(await next.register("g", c));
  expect(joined).toMatchObject({ members: 3, learning: false });
  const synced = accepted(await next.sync("g", b, adopting(joined, 2, { max: 12, held: 0 })));
  expect(synced).toMatchObject({ members: 3, generation: joined.generation, learning: false });
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
