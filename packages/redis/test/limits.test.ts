import type { LimitTarget, Registration, View } from "@dt/core";
import { failure } from "@dt-tooling/backends/failure";
import { accepted, adopting, newcomer } from "@dt-tooling/simulator/requests";
import { describe, expect, test } from "vitest";
import { groupKeys, limitKey } from "../src/keys.ts";
import { openStore } from "./support/keep.ts";
import { redis, server, store, useServer } from "./support/own-server.ts";

useServer();

const to = (max: number) => ({ values: { max }, by: "ann" });
let names = 0;
const target = (): LimitTarget => ({ kind: "group", name: `limited-${++names}` });

describe("a limit record", () => {
  test("is seen by every process, and has its history", async () => {
    const mail = target();
    const other = openStore({ url: server.url });
    expect(await store.readLimit(mail)).toBeUndefined();
    await store.setLimit(mail, to(50));
    const set = await other.setLimit(mail, { ...to(40), forMs: 60_000, why: "load" });
    expect(set).toMatchObject({ revision: 2, values: { max: 40 }, inForce: true });
    expect(set.history[0]).toMatchObject({ by: "ann", from: { max: 50 }, to: { max: 40 }, why: "load" });
    expect(await store.readLimit(mail)).toMatchObject({ ...set, storeTimeMs: expect.any(Number) });
    const removed = await store.setLimit(mail, { values: undefined, by: "bob" });
    expect(await other.readLimit(mail)).toMatchObject({ revision: 3, inForce: false, history: removed.history });
    expect(await redis.pttl(limitKey("dt", mail))).toBe(-1);
  });

  test("loses no change of several made at one time", async () => {
    const mail = target();
    const stores = [1, 2, 3, 4].map(() => openStore({ url: server.url }));
    await Promise.all(stores.map((one, place) => one.setLimit(mail, to(place + 1))));
    const record = await store.readLimit(mail);
    expect(record?.history.map((change) => change.to?.["max"]).sort()).toEqual([1, 2, 3, 4]);
  });

  test("of another kind, name or key is another one", async () => {
    const values = { max: 5, windowMs: 9, burst: 5 };
    const targets: LimitTarget[] = [
      ...["a", "a:3", "{a}", "a}:limit"].flatMap((name): LimitTarget[] => [
        { kind: "group", name },
        { kind: "permits", name },
        { kind: "budget", name },
        { kind: "keyed", name },
        { kind: "learned", name },
      ]),
      ...["k", "k:limit", "}:limit:k"].flatMap((key): LimitTarget[] => [
        { kind: "keyed", name: "a", key },
        { kind: "keyed", name: "a:3", key },
      ]),
    ];
    for (const [place, one] of targets.entries()) {
      const others = { group: { max: 1 }, permits: { everyMs: 1 }, budget: { calls: 1 }, learned: { rate: 1 } };
      const of = { ...others, keyed: values }[one.kind];
      expect(await store.readLimit(one)).toBeUndefined();
      await store.setLimit(one, { values: of, by: `person ${place}` });
    }
    for (const [place, one] of targets.entries())
      expect((await store.readLimit(one))?.history).toMatchObject([{ by: `person ${place}` }]);
  });

  const spoil: Record<string, (key: string) => Promise<unknown>> = {
    "another type": (key) => redis.multi().del(key).set(key, "a text").exec(),
    "no revision": (key) => redis.hdel(key, "revision"),
    "a revision of a text": (key) => redis.hset(key, "revision", "hello"),
    "a revision of 0": (key) => redis.hset(key, "revision", "0"),
    "a revision with a fraction": (key) => redis.hset(key, "revision", "1.5"),
    "values that are no JSON": (key) => redis.hset(key, "values", "{"),
    "values that no limit has": (key) => redis.hset(key, "values", '{"max":-1}'),
    "values of another name": (key) => redis.hset(key, "values", '{"max":5,"most":5}'),
    "no values of that name": (key) => redis.hset(key, "values", "{}"),
    "values that are a list": (key) => redis.hset(key, "values", "[5]"),
    "values that are a text": (key) => redis.hset(key, "values", '{"max":"5"}'),
    "a time that is none": (key) => redis.hset(key, "until", "soon"),
  };

  test.each(Object.entries(spoil))(
    "that is damaged is refused, by requests too, and one that is set anew takes its place: %s",
    async (_, spoilIt) => {
      const mail = target();
      await store.setLimit(mail, to(50));
      const registration = newcomer({ max: 100, stored: true });
      const view = accepted(await store.register(mail.name, registration));
      await store.sync(mail.name, registration, adopting(view, 2, { max: 100, stored: true }));
      await spoilIt(limitKey("dt", mail));
      const [rows] = groupKeys("dt", mail.name).keys as [string];
      const before = await redis.dump(rows);
      const report = adopting(view, 3, { max: 100, stored: true });
      const calls = [
        () => store.readLimit(mail),
        () => store.sync(mail.name, registration, report),
        () => store.register(mail.name, newcomer({ max: 100, stored: true })),
      ];
      for (const call of calls) {
        const error = await failure(call());
        expect(error.code).toBe("DT_STORE_DATA");
        expect(error.message).toMatch(/^the record of a limit holds .*call setLimit/);
      }
      expect(await redis.dump(rows)).toBe(before);
      const set = await store.setLimit(mail, to(9));
      expect([2, Math.floor(set.storeTimeMs)]).toContain(set.revision);
      expect(await store.readLimit(mail)).toMatchObject({ values: { max: 9 } });
      expect(await store.sync(mail.name, registration, report)).toMatchObject({ capacity: 9 });
    },
  );
});

describe("a group with a stored limit", () => {
  const join = async (group: string, overrides: Partial<Registration>): Promise<[Registration, View]> => {
    const registration = newcomer({ max: 100, ...overrides });
    return [registration, await store.register(group, registration)];
  };

  test("loses the copy with its last member, and never the record", async () => {
    const mail = target();
    await store.setLimit(mail, to(60));
    const [a] = await join(mail.name, { stored: true });
    const [b, view] = await join(mail.name, { max: 80 });
    expect(view).toMatchObject({ capacity: 60 });
    expect(await store.inspect(mail.name)).toMatchObject({
      ...{ capacity: 60, stored: { revision: 1, values: { max: 60 } } },
      members: [{ max: null }, { max: 80 }],
    });
    await store.deregister(mail.name, a, { seq: 2, level: null });
    const { stored, capacity } = await store.inspect(mail.name);
    expect([stored, capacity]).toEqual([undefined, 80]);
    await store.repair(mail.name, { reset: true });
    expect(await store.readLimit(mail)).toMatchObject({ revision: 1, values: { max: 60 } });
    expect(await store.sync(mail.name, b, adopting(view, 2, { max: 80 }))).toMatchObject({ status: "unknown" });
  });

  test("of a semaphore has its record, too", async () => {
    const group = target();
    await store.setLimit(group, to(3));
    const slots = { waiting: 0, head: 0, tookOffer: false };
    const demand = { want: 1, syncMs: 1_000, slots };
    const [member, view] = await join(group.name, { max: 10, intervalMs: 1, stored: true, demand });
    expect(view).toMatchObject({ capacity: 3 });
    await store.setLimit(group, to(5));
    const report = adopting(view, 2, { max: 10, stored: true, demand });
    expect(await store.sync(group.name, member, report)).toMatchObject({ capacity: 5 });
    const [, other] = await join(group.name, { max: 4, intervalMs: 1, demand });
    expect(other).toMatchObject({ capacity: 4 });
  });

  test("is made good where a member has the stored limit and the group has none", async () => {
    const mail = target();
    const [a, view] = await join(mail.name, { stored: true });
    await join(mail.name, { max: 80 });
    const [rows] = groupKeys("dt", mail.name).keys as [string];
    const forget = `local row = { cmsgpack.unpack(redis.call('HGET', KEYS[1], 'group')) } row[28], row[29] = false, false
      return redis.call('HSET', KEYS[1], 'group', cmsgpack.pack(unpack(row)))`;
    await redis.eval(forget, 1, rows);
    const { found, members } = await store.repair(mail.name);
    expect([members, found.join()]).toEqual([
      1,
      expect.stringContaining("has the stored limit where the group has none"),
    ]);
    expect(await store.sync(mail.name, a, adopting(view, 2, { stored: true }))).toMatchObject({ status: "unknown" });
    expect(await store.inspect(mail.name)).toMatchObject({ capacity: 80, memberCount: 1 });
  });
});
