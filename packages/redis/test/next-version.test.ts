import { type RedisServer, startRedis } from "@dt-tooling/backends";
import { failure } from "@dt-tooling/backends/failure";
import { accepted, adopting, newcomer } from "@dt-tooling/worlds/requests";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { RedisStore } from "../src/index.ts";

/**
 * This version and a made-up next one side by side: its members have one field more, `weight`, which older rows have as
 * 1.
 */
const NEXT: Readonly<Record<string, readonly (readonly [from: string, to: string])[]>> = {
  "formats.lua": [
    ["local VERSION = 1", "local VERSION = 2"],
    ["local TAG = 'dt1'", "local TAG = 'dt2'"],
    ["expires_at_ms, standing, joined, more)", "expires_at_ms, standing, joined, weight, more)"],
    ["joined % 1 == 0 and more == nil", "joined % 1 == 0 and weight >= 0 and weight <= 1e12 and more == nil"],
  ],
  "rows.lua": [
    ["local function read_member(v)", "local function read_member(v, version) if version < 2 then v[16] = 1 end"],
    ["is_member(unpack(v, 2, 16))", "is_member(unpack(v, 2, 17))"],
    ["incarnation = false,", "weight = v[16], incarnation = false,"],
    ["m.standing, m.joined)", "m.standing, m.joined, m.weight or 7)"],
  ],
  "steady.lua": [
    ["standing, joined, m_more = unpack_some(member, 3,", "standing, joined, weight, m_more = unpack_some(member, 4,"],
    ["expires_at_ms, standing, joined, m_more)", "expires_at_ms, standing, joined, weight, m_more)"],
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
