import { DtError, type MemberView } from "@dt/core";
import { fixedSource } from "@dt/pod-count";
import { describe, expect, it } from "vitest";
import { refusal, registration, SETTLE_MS, setUp } from "./support/store-in-virtual-time.ts";

describe("a fixed fleet", () => {
  it("gives an equal part without ranks at once, and never claims an exact split", async () => {
    const { store, sync, pass } = setUp({ source: fixedSource(3) });
    expect(await store.register("g", registration)).toMatchObject({
      status: "disagree",
      members: 3,
      held: 33,
      entitled: 33,
      capacity: 100,
      learning: false,
    });
    await pass(100_000);
    expect(await sync()).toMatchObject({ status: "disagree", held: 33 });
  });

  it("is split exactly when the rank is known", async () => {
    const { store } = setUp({ source: fixedSource(3), ordinal: 2 });
    expect(await store.register("g", registration)).toMatchObject({
      status: "agree",
      members: 3,
      rank: 2,
      held: 34,
      entitled: 33,
    });
  });

  it("that is smaller than the ordinal has no rank for it", async () => {
    const { store } = setUp({ source: fixedSource(3), ordinal: 3 });
    expect(await store.register("g", registration)).toMatchObject({ status: "disagree", rank: 0, held: 33 });
  });

  it("larger than max is told, once for each size", async () => {
    const { store, sync, errors } = setUp({ source: fixedSource(200), ordinal: 3 });
    await store.register("g", registration);
    await sync();
    await sync({ max: 50 });
    expect(errors).toEqual([
      expect.stringMatching(/^DT_STORE_UNSUITABLE: group "g" has max 100 and 200 members.*longer interval/),
    ]);
  });
});

describe("a listed fleet", () => {
  it("makes a newcomer wait for the settle time, so that everybody has counted it", async () => {
    const { source, store, sync, pass } = setUp();
    source.answer(["a", "b"], "a");
    expect(await store.register("g", registration)).toMatchObject({
      status: "disagree",
      members: 2,
      held: 0,
      learning: true,
    });
    await pass(SETTLE_MS - 1);
    expect(await sync()).toMatchObject({ status: "disagree", held: 0, learning: true });
    await pass(1);
    expect(await sync()).toMatchObject({ status: "agree", rank: 0, held: 50, learning: false });
  });

  it("that grows lowers the share at once, as a new generation with new ranks", async () => {
    const { source, store, sync, pass } = setUp();
    source.answer(["b", "c"], "b");
    const { generation } = (await store.register("g", registration)) as MemberView;
    await pass(SETTLE_MS);
    expect(await sync()).toMatchObject({ status: "agree", generation, rank: 0, held: 50 });
    source.answer(["a", "b", "c"], "b");
    const grown = await sync();
    expect(grown).toMatchObject({ status: "agree", members: 3, rank: 1, held: 34, entitled: 33 });
    expect(grown.generation).toBeGreaterThan(generation);
  });

  it("that shrinks raises the share only after the settle time", async () => {
    const { source, store, sync, pass } = setUp();
    source.answer(["a", "b", "c", "d"], "a");
    await store.register("g", registration);
    await pass(SETTLE_MS);
    source.answer(["a", "b", "c"], "a");
    await pass(SETTLE_MS - 1);
    expect(await sync()).toMatchObject({ members: 4, held: 25 });
    await pass(1);
    expect(await sync()).toMatchObject({ members: 3, held: 34 });
  });

  it("that flaps, even without this member, changes nothing: neither the share nor the generation", async () => {
    const { runtime, source, store, sync, pass } = setUp();
    const all = ["a", "b", "c", "d"];
    source.answer(all, "a");
    await store.register("g", registration);
    await pass(SETTLE_MS);
    const settled = await sync();
    expect(settled).toMatchObject({ status: "agree", members: 4 });
    for (let step = 0; step < 300; step++) {
      const part = step % 3 === 0 ? all : all.slice(step % 4);
      source.answer(part, part.includes("a") ? "a" : undefined);
      await runtime.advance(500);
      expect(await sync()).toMatchObject({ status: "agree", generation: settled.generation, members: 4, held: 25 });
    }
  });

  it("that does not list a starting member gives it nothing yet, and refuses it when that goes on", async () => {
    const { source, store, sync, pass, errors } = setUp();
    source.answer([]);
    expect(await store.register("g", registration)).toMatchObject({
      status: "disagree",
      members: 1,
      held: 0,
      learning: true,
    });
    await pass(SETTLE_MS - 1);
    expect(await sync()).toMatchObject({ held: 0 });
    await pass(1);
    const error = await refusal(sync());
    expect(error.code).toBe("DT_STORE_UNAVAILABLE");
    expect(error.message).toBe("manual lists no member, so no member leaves it a share; be listed");
    source.answer(["b", "c"]);
    expect((await refusal(sync())).message).toMatch(/lists 2 and not this member/);
    expect(errors).toHaveLength(1);
    source.answer(["a", "b", "c"], "a");
    expect(await sync()).toMatchObject({ members: 3, held: 0, learning: true });
    await pass(SETTLE_MS);
    expect(await sync()).toMatchObject({ status: "agree", members: 3, held: 34 });
  });

  it("that lists this member no longer refuses it when the last answer that did is no longer fresh", async () => {
    const { runtime, source, store, sync, pass } = setUp();
    source.answer(["a", "b"], "a");
    await store.register("g", registration);
    await pass(SETTLE_MS);
    source.answer(["b"]);
    await runtime.advance(4_999);
    source.answer(["b"]);
    expect(await sync()).toMatchObject({ members: 2, held: 50 });
    await runtime.advance(1);
    expect((await refusal(sync())).message).toMatch(/lists 1 and not this member/);
  });
});

describe("a source that does not answer", () => {
  it("leaves the last answer in use while it is fresh, then every call fails with the reason", async () => {
    const { runtime, source, store, sync, pass } = setUp();
    source.answer(["a", "b"], "a");
    await store.register("g", registration);
    await pass(SETTLE_MS);
    source.fail(new DtError("DT_STORE_UNAVAILABLE", "the cable is cut"));
    await runtime.advance(4_999);
    expect(await sync()).toMatchObject({ held: 50 });
    await runtime.advance(1);
    const error = await refusal(sync());
    expect(error.code).toBe("DT_STORE_UNAVAILABLE");
    expect(error.message).toMatch(/manual has not answered in time: the cable is cut/);
  });

  it("for a short time costs nothing: the share is there again at once", async () => {
    const { runtime, source, store, sync, pass } = setUp();
    source.answer(["a", "b"], "a");
    await store.register("g", registration);
    await pass(SETTLE_MS);
    await sync();
    // Fresh for 5 s, and 10 s (settle less lag) in which nobody can have stopped counting this member.
    await runtime.advance(15_000);
    await refusal(sync());
    source.confirm();
    expect(await sync()).toMatchObject({ status: "agree", held: 50 });
  });

  it("for so long that others may have stopped counting this member makes it a newcomer", async () => {
    const { runtime, source, store, sync, pass } = setUp();
    source.answer(["a", "b"], "a");
    await store.register("g", registration);
    await pass(SETTLE_MS);
    await sync();
    await runtime.advance(15_001);
    source.confirm();
    expect(await sync()).toMatchObject({ status: "disagree", held: 0, learning: true });
    await pass(SETTLE_MS);
    expect(await sync()).toMatchObject({ status: "agree", held: 50 });
  });

  it("at the first call is waited for until the deadline", async () => {
    const { runtime, store } = setUp({ timeout: "700ms" });
    const call = refusal(store.register("g", registration));
    await runtime.advance(700);
    expect(await call).toMatchObject({
      code: "DT_STORE_TIMEOUT",
      effect: "definite",
      message: expect.stringContaining("waiting for manual"),
    });
  });

  it("but fails at the first call is the reason of its failure", async () => {
    const { runtime, source, store } = setUp();
    const call = refusal(store.register("g", registration));
    await runtime.advance(1);
    source.fail(new DtError("DT_STORE_UNSUITABLE", "no token"));
    expect(await call).toMatchObject({ code: "DT_STORE_UNSUITABLE", message: "no token" });
    expect(await refusal(store.register("g", registration))).toMatchObject({ code: "DT_STORE_UNSUITABLE" });
    source.answer(["a"], "a");
    expect(await store.register("g", registration)).toMatchObject({ members: 1 });
  });

  it.each([0, -1, 1.5, Number.NaN, 100_001, null, "5", [""], [7], { length: 1 }])(
    "but says %j is refused, and what it said before holds",
    async (members) => {
      const { source, store, sync, errors } = setUp();
      source.answer(["a", "b"], "a");
      await store.register("g", registration);
      source.answer(members as number);
      expect(errors).toEqual([expect.stringMatching(/^DT_STORE_REPLY: manual answered /)]);
      expect(await sync()).toMatchObject({ members: 2 });
    },
  );
});
