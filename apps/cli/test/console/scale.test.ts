import { startRedis, until } from "@dt-tooling/backends";
import { type Chromium, type Page, startChromium } from "@dt-tooling/backends/chromium";
import { SourceProcess } from "@dt-tooling/backends/source-process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RunningConsole } from "./support/console.ts";
import { Fleet } from "./support/fleet.ts";
import { screenshot } from "./support/screenshot.ts";
import { openLimiter, rowsOf, tooWide, visit } from "./support/shown.ts";
import { beginWork, type Work, watchWork, workOf } from "./support/work.ts";

const [MEMBERS, KEYS, FRAMES] = [1_000, 10_000, 10];

const running = new AsyncDisposableStack();
let chromium: Chromium;
let small: RunningConsole;
let large: RunningConsole;

beforeAll(async () => {
  chromium = running.use(await startChromium());
  const [one, other] = [
    running.use(await startRedis({ control: true })),
    running.use(await startRedis({ control: true })),
  ];
  const fleet = running.use(new Fleet(one.url));
  const settings = JSON.stringify({ url: other.url, members: MEMBERS, keys: KEYS });
  const many = new SourceProcess(new URL("support/scale-process.ts", import.meta.url), [settings]);
  running.defer(() => many.kill());
  await Promise.all([fleet.start({ "web-1": 20 }), many.said("ready")]);
  small = running.use(await RunningConsole.start(one.url, "--port", "0", "--period", "500ms"));
  large = running.use(await RunningConsole.start(other.url, "--port", "0", "--period", "500ms"));
});
afterAll(() => running.disposeAsync());

/** What a page does in some frames, with one limiter open. */
async function workWith(console: RunningConsole, name: string, ready: (page: Page) => Promise<void>): Promise<Work> {
  let work: Work | undefined;
  await visit(chromium, console.url, { prepare: watchWork }, async (page) => {
    await openLimiter(page, name);
    await ready(page);
    await beginWork(page);
    await until("the page has received some frames", 60_000, async () => (await workOf(page)).frames >= FRAMES);
    work = await workOf(page);
    expect(await tooWide(page)).toBe(0);
  });
  return work as Work;
}

/** For people: what was measured. */
function show(what: string, { frames, drawnMs: { median, max }, longTasks, bytes, elements }: Work): void {
  const long = longTasks.map((ms) => Math.round(ms)).join(", ") || "none";
  const drawn = `drawn within ${median.toFixed(0)} ms (median), ${max.toFixed(0)} ms at most`;
  process.stdout.write(
    `${what}: ${frames} frames of ${bytes} bytes, ${drawn}; long tasks, ms: ${long}; ${elements} elements\n`,
  );
}

describe("dt console before a large fleet", () => {
  test("draws 1,000 members and 10,000 keys in frames of the size of a small fleet's", async () => {
    const few = await workWith(small, "payments", async (page) => {
      await until("its member is there", 10_000, async () => (await rowsOf(page, "members")).length === 1);
    });
    const members = await workWith(large, "crawl", async (page) => {
      await until("there are a thousand members", 20_000, async () =>
        (await page.getByTestId("facts").textContent())?.includes("1,000"),
      );
      await until("and a page of them", 20_000, async () => (await rowsOf(page, "members")).length > 5);
      // Only those in sight are in the document.
      expect((await rowsOf(page, "members")).length).toBeLessThan(100);
      await screenshot(page, "members-1000");
      await page.getByLabel("Filter members").fill("pod-777-");
      await until("one is found", 10_000, async () => (await rowsOf(page, "members")).length === 1);
      await page.getByLabel("Filter members").fill("");
    });
    const keys = await workWith(large, "customers", async (page) => {
      await until("there are ten thousand keys", 20_000, async () =>
        (await page.getByTestId("facts").textContent())?.includes("10k"),
      );
      await until("and the busiest of them", 20_000, async () => (await rowsOf(page, "keys")).length > 5);
      await screenshot(page, "keys-10000");
    });
    show("one member", few);
    show("1,000 members", members);
    show("10,000 keys", keys);
    // Neither a frame nor the page grows with the fleet.
    for (const { bytes, elements } of [members, keys]) {
      expect(bytes).toBeLessThan(20_000);
      expect(elements).toBeLessThan(2_000);
    }
  });
});
