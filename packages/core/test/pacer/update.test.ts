import { describe, expect, it } from "vitest";
import { settle } from "../../src/testing/index.ts";
import { linkedPacerWorld, pacerWorld } from "../support/pacer-world.ts";

const times = (seen: readonly string[]): number[] => seen.map((entry) => Number(entry.split("@")[1]));

describe("update of a pacer", () => {
  it("gives instants back, and its callers come with the new distance", async () => {
    const { runtime, create, ask } = pacerWorld({ every: 1_000 });
    const pacer = create();
    const seen = ask(pacer, 5);
    await runtime.advance(10);
    pacer.update({ every: 50 });
    expect(pacer.terms).toBe("every 50 ms, burst 1");
    await runtime.advance(1_200);
    // The first permit keeps its distance of a second.
    expect(times(seen)).toEqual([0, 1_000, 1_050, 1_100, 1_150]);
  });

  it("makes the pace slower from the next permit on", async () => {
    const { runtime, create, ask } = pacerWorld({ every: 100 });
    const pacer = create();
    const seen = ask(pacer, 4);
    await runtime.advance(110);
    pacer.update({ rate: "1/s" });
    await runtime.advance(3_000);
    expect(times(seen)).toEqual([0, 100, 200, 1_200]);
    pacer.update({ burst: 3 });
    expect(pacer.status()).toMatchObject({ terms: "every 1000 ms, burst 3", limit: { everyMs: 1_000, burst: 3 } });
  });

  it("is served beside those that have the old pace, and is no mismatch when these follow", async () => {
    const { runtime, create, ask } = pacerWorld({ every: 100 });
    const [a, b] = [create(), create()];
    const seen = ask(a, 1, "a");
    await settle();
    a.update({ every: 10 });
    ask(a, 1, "A");
    ask(b, 2, "b");
    await runtime.advance(1_000);
    b.update({ every: 10 });
    a.update({ every: 20 });
    ask(a, 1, "A'");
    ask(b, 1, "B'");
    await runtime.advance(1_000);
    expect(seen).toHaveLength(6);
    expect(seen.filter((entry) => !entry.includes("@"))).toEqual([]);
    await create({ every: 70 })
      .acquire()
      .catch((error: unknown) => expect(error).toMatchObject({ code: "DT_PACE_MISMATCH" }));
    expect.assertions(3);
  });

  it("gives back what an answer under way brings, before it asks anew", async () => {
    const { runtime, link, create, ask } = linkedPacerWorld({ every: 60_000 });
    link.thereMs = 100;
    const pacer = create();
    const seen = ask(pacer, 3);
    await runtime.advance(250);
    pacer.update({ every: 10 });
    await runtime.advance(62_000);
    expect(seen).toHaveLength(3);
    expect(Math.max(...times(seen))).toBeLessThan(61_000);
  });

  it("changes nothing where the pace is the same, or the limit is none", async () => {
    const { runtime, create, ask } = pacerWorld({ every: 100 });
    const pacer = create();
    const seen = ask(pacer, 3);
    await settle();
    pacer.update({ rate: 10, burst: 1 });
    expect(() => pacer.update({ every: "soon" as never })).toThrow(
      expect.objectContaining({ code: "DT_INVALID_OPTION" }),
    );
    expect(() => pacer.update({ every: 5, rate: 5 })).toThrow("give exactly one");
    expect(() => pacer.update({ speed: 5 } as never)).toThrow("there is no such option");
    await runtime.advance(200);
    expect(times(seen)).toEqual([0, 100, 200]);
    await pacer.stop();
    pacer.update({ every: 5 });
    await expect(pacer.acquire()).rejects.toMatchObject({ code: "DT_STOPPED" });
  });
});
