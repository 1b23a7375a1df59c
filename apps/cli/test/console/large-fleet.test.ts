import { startRedis } from "@dt-tooling/backends";
import { SourceProcess } from "@dt-tooling/backends/source-process";
import { expect, test } from "vitest";
import { askAsPage, Page, testConsole } from "./support/page.ts";

test("1,000 members and 10,000 keys are a frame of less than 50 kB, and all members can be asked for", async () => {
  await using redis = await startRedis({ control: true });
  const settings = JSON.stringify({ url: redis.url, members: 1_000, keys: 10_000 });
  const fleet = new SourceProcess(new URL("support/scale-process.ts", import.meta.url), [settings]);
  try {
    await fleet.said("ready");
    await using console = await testConsole(redis.url);
    using page = await Page.open(console);
    await page.until("the fleet is there", () => page.last.limiters.length >= 2);
    await page.until("some frames have come", () => page.frames.length >= 5);
    const crawl = page.last.limiters.find(({ name }) => name === "crawl");
    expect(crawl?.members).toMatchObject({ count: 1_000, rest: { count: 988 } });
    const keysNow = () => page.last.limiters.find(({ name }) => name === "customers")?.keys?.count;
    await page.until("all keys are counted", () => keysNow() === 10_000);
    expect(page.longest).toBeLessThan(50_000);
    const { json } = await askAsPage(console, "/api/limiter?kind=throttle&name=crawl");
    expect(json["members"]).toHaveLength(1_000);
  } finally {
    await fleet.kill();
  }
});
