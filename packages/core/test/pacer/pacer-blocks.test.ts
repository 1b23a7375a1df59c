import { describe, expect, it } from "vitest";
import type { Pacer } from "../../src/index.ts";
import { linkedPacerWorld } from "../support/pacer-world.ts";

describe("a link slower than the rate", () => {
  it("does not set the rate: one process gets all of it", async () => {
    const { runtime, link, create } = linkedPacerWorld({ every: 40 });
    link.thereMs = 100;
    link.backMs = 100;
    const pacer = create();
    let granted = 0;
    const worker = async (): Promise<void> => {
      for (;;) {
        await pacer.acquire();
        granted += 1;
      }
    };
    for (let i = 0; i < 40; i++) worker().catch(() => undefined);
    await runtime.advance(10_000);
    expect(granted).toBeGreaterThan(230);
    await Promise.all([pacer.stop(), runtime.advance(1_000)]);
  });
});

describe("blocks at the bound", () => {
  it("share 10,000 permits a second among four processes, in a tenth as many round trips", async () => {
    const { runtime, link, create } = linkedPacerWorld({ rate: 10_000, every: undefined as never });
    const pacers = [1, 2, 3, 4].map(() => create());
    const granted = pacers.map(() => 0);
    const worker = async (i: number): Promise<void> => {
      for (;;) {
        await (pacers[i] as Pacer).acquire();
        (granted[i] as number) += 1;
      }
    };
    for (let i = 0; i < 800; i++) worker(i % 4).catch(() => undefined);
    await runtime.advance(1_000);
    link.reserves = 0;
    granted.fill(0);
    await runtime.advance(2_000);
    const total = granted.reduce((sum, count) => sum + count, 0);
    expect(total).toBeGreaterThan(19_600);
    expect(link.reserves).toBeLessThan(2_400);
    for (const count of granted) expect(Math.abs(count - total / 4)).toBeLessThan(0.3 * (total / 4));
    await Promise.all(pacers.map((pacer) => pacer.stop()));
  });
});
