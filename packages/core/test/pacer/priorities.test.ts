import { describe, expect, it } from "vitest";
import type { AcquireOptions, GroupedPacer, Pacer } from "../../src/index.ts";
import { settle, type VirtualRuntime } from "../../src/testing/index.ts";
import { groupedPacerWorld } from "../support/grouped-pacer-world.ts";
import { linkedPacerWorld, pacerWorld, START_MS } from "../support/pacer-world.ts";

/** Notes when each caller was served, as `<label>@<ms since the start>`, or the code of its error. */
function notes(runtime: VirtualRuntime) {
  const seen: string[] = [];
  const ask = (pacer: Pacer | GroupedPacer, label: string, cost: number, options?: AcquireOptions): void => {
    pacer.acquire(cost, options).then(
      () => seen.push(`${label}@${runtime.now() - START_MS}`),
      (error: { readonly code: string }) => seen.push(`${label}:${error.code}`),
    );
  };
  return { seen, ask };
}

describe("callers of one cost", () => {
  it("go by priority, and within one in the order in which they came", async () => {
    const { runtime, create } = pacerWorld({ every: 100 });
    await using pacer = create();
    const { seen, ask } = notes(runtime);
    for (const [label, priority] of Object.entries({ a: 0, b: -9, c: 9, d: 0, e: 9 }))
      ask(pacer, label, 1, { priority });
    await runtime.advance(1_000);
    expect(seen).toEqual(["c@0", "e@100", "a@200", "d@300", "b@400"]);
  });

  it("do so although the instants of the others are reserved already", async () => {
    const { runtime, create } = pacerWorld({ every: 100 });
    await using pacer = create();
    const { seen, ask } = notes(runtime);
    for (const label of ["a", "b", "c", "d"]) ask(pacer, label, 1);
    await runtime.advance(150);
    ask(pacer, "urgent", 1, { priority: 5 });
    await runtime.advance(1_000);
    expect(seen).toEqual(["a@0", "b@100", "urgent@200", "c@300", "d@400"]);
  });

  it("do so where no instant is reserved ahead, too", async () => {
    const { runtime, create } = pacerWorld({ every: 100, maxReserved: 1 });
    await using pacer = create();
    const { seen, ask } = notes(runtime);
    for (const label of ["a", "b", "c", "d"]) ask(pacer, label, 1);
    await runtime.advance(50);
    ask(pacer, "urgent", 1, { priority: 1 });
    ask(pacer, "last", 1, { priority: -1 });
    await runtime.advance(1_000);
    expect(seen).toEqual(["a@0", "urgent@100", "b@200", "c@300", "d@400", "last@500"]);
  });

  it("one that is overtaken beyond its timeout rejects when that is over, and hears when its instant is due", async () => {
    const { runtime, create } = pacerWorld({ every: 100 });
    await using pacer = create();
    const { seen, ask } = notes(runtime);
    ask(pacer, "a", 1);
    const overtaken = pacer.acquire(1, { timeout: 150 }).catch((error: unknown) => error);
    ask(pacer, "c", 1);
    await runtime.advance(50);
    ask(pacer, "urgent", 1, { priority: 1 });
    await runtime.advance(100);
    expect(await overtaken).toMatchObject({ code: "DT_TIMEOUT", retryAfterMs: 50 });
    await runtime.advance(1_000);
    expect(seen).toEqual(["a@0", "urgent@100", "c@200"]);
    expect(pacer.wasted).toBe(0);
  });

  it("one that would come too late behind those of higher priority rejects at once", async () => {
    const { runtime, create } = pacerWorld({ every: 100 });
    await using pacer = create();
    const { ask } = notes(runtime);
    for (const label of ["a", "b", "c"]) ask(pacer, label, 1, { priority: 1 });
    await settle();
    const late = pacer.acquire(1, { timeout: 250, priority: 0 });
    await expect(late).rejects.toMatchObject({ code: "DT_TIMEOUT", retryAfterMs: 300 });
    const early = pacer.acquire(1, { timeout: 250, priority: 2 });
    await runtime.advance(100);
    expect(await early).toEqual({ lateMs: 0 });
  });

  it("go back in order after a pause in which instants were wasted", async () => {
    const { runtime, create } = linkedPacerWorld({ permitTtl: 50 });
    await using pacer = create();
    const { seen, ask } = notes(runtime);
    for (const label of ["a", "b", "c", "d"]) ask(pacer, label, 1);
    for (const label of ["x", "y"]) ask(pacer, label, 1, { priority: 1 });
    await runtime.advance(50);
    runtime.jump(280);
    await runtime.advance(1_000);
    expect(seen.map((entry) => entry.split("@")[0])).toEqual(["x", "y", "a", "b", "c", "d"]);
    expect(pacer.wasted).toBe(2);
  });
});

describe("callers of several costs", () => {
  it("of higher priority are reserved for first, once the request that is queued at the store is granted", async () => {
    const { runtime, create } = pacerWorld({ every: 100, maxReserved: 0, maxCost: 3 });
    await using pacer = create();
    const { seen, ask } = notes(runtime);
    ask(pacer, "a", 1);
    await settle();
    for (const label of ["b", "c"]) ask(pacer, label, 1);
    await settle();
    ask(pacer, "dear", 3, { priority: 1 });
    await runtime.advance(1_000);
    expect(seen.map((entry) => entry.split("@")[0])).toEqual(["a", "b", "dear", "c"]);
  });

  it("do not keep one from the instants of its own cost", async () => {
    const { runtime, create } = pacerWorld({ every: 100, maxReserved: 3, maxCost: 5 });
    await using pacer = create();
    const { seen, ask } = notes(runtime);
    for (const label of ["a", "b", "c", "d"]) ask(pacer, label, 1);
    await settle();
    // Nothing can be reserved for this one yet; the next has instants of its cost to go before.
    ask(pacer, "dear", 5, { priority: 9 });
    ask(pacer, "urgent", 1, { priority: 5 });
    await runtime.advance(2_000);
    expect(seen.slice(0, 3)).toEqual(["a@0", "urgent@100", "b@200"]);
    expect(seen).toHaveLength(6);
    expect(pacer.wasted).toBe(0);
  });

  it("an answer that comes after a dearer caller of higher priority serves those that it was asked for", async () => {
    const { runtime, link, create } = linkedPacerWorld({ maxCost: 5 });
    link.backMs = 20;
    await using pacer = create();
    const { seen, ask } = notes(runtime);
    ask(pacer, "cheap", 1);
    await runtime.advance(10);
    ask(pacer, "dear", 5, { priority: 9 });
    await runtime.advance(2_000);
    expect(seen.map((entry) => entry.split("@")[0])).toEqual(["cheap", "dear"]);
    expect(link.releases).toBe(0);
  });
});

describe("a grouped pacer", () => {
  it("gives a permit of another site to the highest priority, not to the one that has waited longest", async () => {
    const { runtime, create } = groupedPacerWorld();
    const eu = create("eu", { stealAfter: 50 });
    const sites: string[] = [];
    const ask = (label: string, priority: number): void => {
      void eu.acquire(1, { priority }).then(({ site }) => sites.push(`${label} ${site}@${runtime.now() - START_MS}`));
    };
    ask("first", 0);
    ask("second", 0);
    ask("third", 0);
    await runtime.advance(40);
    ask("urgent", 9);
    await runtime.advance(10);
    expect(sites).toEqual(["first eu@0", "urgent us@50"]);
    await runtime.advance(1_000);
    expect(sites).toHaveLength(4);
    await eu.stop();
  });
});
