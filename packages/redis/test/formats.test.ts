import type { MemberView, Registration } from "@dt/core";
import { failure } from "@dt-tooling/backends/failure";
import { adopting, newcomer } from "@dt-tooling/simulator/requests";
import { describe, expect, test } from "vitest";
import { redis as admin, store } from "./support/own-server.ts";
import { edit, group, keys, member, members, useThreeMembers, views } from "./support/three-members.ts";

/** What rows may hold, and rows of other versions. */

useThreeMembers();

describe.each(["each field of a member's row", "each field of the group's row"])("%s is checked", (whose) => {
  const time = ["-1", "2e16", "0 / 0", "'x'"];
  const text = ["false", "7"];
  const maybe = (bad: readonly string[]) => [...bad, "true"];
  const count = ["-1", "0.5", "2 ^ 53", "'x'", "true"];
  const pair = (lua: string) => `cmsgpack.pack(${lua})`;
  const places: readonly (readonly [place: number, field: string, values: readonly string[]])[] =
    whose === "each field of a member's row"
      ? [
          [2, "seq", count],
          [3, "expiresAtMs", time],
          [4, "activity", text],
          [17, "want", count],
          [18, "odd", ["0", "'x'"]],
          [19, "gaveUpMs", time],
          [20, "restUntilMs", ["-1", "1 / 0", "0 / 0", "false"]],
        ]
      : [
          [2, "lastMs", time],
          [3, "generation", count],
          [22, "freedEpoch", count],
          [23, "spent", ["-5", "0.5", "2e12", "false"]],
          [24, "hungryMs", maybe(time)],
          [25, "wants", [...text, "'hello'", ...["3", "3, 0", "3, -1", "7, 1, 3, 1", "0 / 0, 1", "0.5, 1"].map(pair)]],
          [26, "earliestMs", maybe(time)],
          [27, "pausedUntilMs", [...time, "false"]],
        ];

  test.each(places)("value %i, %s", async (place, _, values) => {
    const field = whose.includes("member") ? member(1) : "group";
    const stored = (await admin.hgetBuffer(keys()[0], field)) as Buffer;
    for (const value of values) {
      await edit(field, `row[${place}] = ${value}`);
      expect((await failure(store.inspect(group))).message, value).toContain(`field ${field}, holds no row`);
      await admin.hset(keys()[0], field, stored);
    }
    expect(await store.inspect(group)).toMatchObject({ memberCount: 3 });
  });
});

describe("rows of a checkout from before the first release", () => {
  /** As they were: rows that began with "dt1", and what stood beside them. */
  const old = async (): Promise<void> => {
    await admin.eval(
      `local generation, t = tonumber(ARGV[1]), tonumber(ARGV[2])
      redis.call('UNLINK', unpack(KEYS))
      redis.call('HSET', KEYS[1], 'r:0', 'old', 'i:p', 'old', 'd:old', cmsgpack.pack(3, 0, 0, 0), 'a:old', '1 0',
        'group', cmsgpack.pack('dt1', generation, 1, 12, 1, 12, 1, 1000, t, t, t, t, 0, 0, 5000, 20000, 0, 0, 0, 86400000, t),
        'm:old', cmsgpack.pack('dt1', 'p', 1, 0, generation, 1, 12, 12, false, 20000, 0, 0, t + 20000, 'holder', generation),
        'freed', cmsgpack.pack(t, generation, 12, 1, 0, 0, t + 20000), 'wants', cmsgpack.pack(generation, false, 3, 1))
      for i = 2, #KEYS do redis.call('ZADD', KEYS[i], '+inf', '') end
      redis.call('ZADD', KEYS[2], t + 20000, 'old')`,
      6,
      ...keys(),
      String(views[0]?.generation),
      String(views[0]?.storeTimeMs),
    );
  };
  const dump = () => Promise.all(keys().map((key) => admin.dumpBuffer(key)));

  test.each(["all of them", "all but the group's", "a member's alone"])(
    "%s: are refused with the remedy, and stay as they are",
    async (which) => {
      if (which === "a member's alone") await edit(member(0), "row[1] = 'dt1'");
      else await old();
      if (which === "all but the group's") await admin.hdel(keys()[0], "group");
      const before = await dump();
      const self = which === "a member's alone" ? (members[0] as Registration) : { ...newcomer(), incarnation: "old" };
      for (const call of [
        () => store.register(group, { ...self, seq: 7, rejoin: true }),
        () => store.repair(group),
        ...(which === "all but the group's"
          ? []
          : [() => store.sync(group, self, adopting(views[0] as MemberView, 6)), () => store.inspect(group)]),
      ]) {
        const error = await failure(call());
        expect(error).toMatchObject({ code: "DT_STORE_DATA", effect: "definite" });
        expect(error.message).toMatch(/from before the first release.*dt repair <store> throttle <name> --reset/);
      }
      expect(await dump()).toEqual(before);
    },
  );

  test("are forgotten by a reset, after which members register and learn", async () => {
    await old();
    const report = await store.repair(group, { reset: true });
    expect(report).toMatchObject({ members: 0, reset: true });
    expect(report.found[0]).toContain("has a format from before the first release");
    expect(await store.register(group, newcomer({ max: 12 }))).toMatchObject({ held: 0, learning: true });
  });
});

describe("rows of a newer version", () => {
  const newer = (field: string) => edit(field, "row[1] = 'f2' row[#row + 1] = 'new'");
  const dump = () => Promise.all(keys().map((key) => admin.dumpBuffer(key)));

  test.each(["the group", "a member"])("of %s are refused, and nothing is changed", async (what) => {
    await newer(what === "the group" ? "group" : member(0));
    const before = await dump();
    const [a] = members as [Registration];
    const calls = [
      () => store.sync(group, a, adopting(views[0] as MemberView, 6)),
      () => store.register(group, { ...a, seq: 7, rejoin: true }),
      () => store.deregister(group, a, { seq: 8, level: null }),
      () => store.inspect(group),
      () => store.repair(group),
    ];
    for (const call of calls) {
      const error = await failure(call());
      expect(error).toMatchObject({ code: "DT_STORE_DATA", effect: "definite" });
      expect(error.message).toContain("has format version 2");
      expect(error.message).toContain("dt repair <store> throttle <name> --reset");
    }
    expect(await dump()).toEqual(before);
  });

  test("are forgotten by a reset, after which members claim", async () => {
    await newer("group");
    const report = await store.repair(group, { reset: true });
    expect(report).toMatchObject({ members: 0, reset: true });
    expect(report.found[0]).toContain("is of the newer format version 2");
    const view = await store.register(group, { ...(members[0] as Registration), seq: 9, rejoin: true, claim: 4 });
    expect(view).toMatchObject({ held: 4, learning: true });
  });
});
