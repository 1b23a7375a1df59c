import { setLimit } from "@dt/core";
import { redisStore } from "@dt/redis";
import { type RedisServer, startRedis, until } from "@dt-tooling/backends";
import { type Chromium, type Page, startChromium } from "@dt-tooling/backends/chromium";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readLimiter } from "../../src/fleet/read-fleet.ts";
import type { FleetReport, LimiterReport } from "../../src/fleet/report.ts";
import { dt } from "../support/cli.ts";
import { RunningConsole } from "./support/console.ts";
import { Fleet } from "./support/fleet.ts";
import { NAMES } from "./support/fleet-settings.ts";
import { screenshot } from "./support/screenshot.ts";
import { openLimiter, rowsOf, seeMark, textsOf, tooWide, visit } from "./support/shown.ts";

const running = new AsyncDisposableStack();
let redis: RedisServer;
let fleet: Fleet;
let chromium: Chromium;
let console: RunningConsole;

beforeAll(async () => {
  redis = running.use(await startRedis({ control: true }));
  fleet = running.use(new Fleet(redis.url));
  chromium = running.use(await startChromium());
  // More than the limit: the two busiest wait, and the others get what they ask for.
  await fleet.start({ "web-1": 60, "web-2": 50, "web-3": 25, "web-4": 10, "web-5": 5 });
  console = running.use(await RunningConsole.start(redis.url, "--port", "0", "--period", "500ms"));
});
afterAll(() => running.disposeAsync());

/** The fleet as `dt status` reports it. */
async function statusOf(): Promise<FleetReport> {
  return JSON.parse((await dt("status", redis.url, "--json")).stdout);
}

/** The fleet's throttle in its store. */
async function throttleOf(): Promise<LimiterReport> {
  await using store = redisStore({ url: redis.url });
  return (await readLimiter(store, "throttle", NAMES.throttle)) as LimiterReport;
}

/** Members of the throttle as the page shows them: their tokens by their labels. */
async function sharesOn(page: Page): Promise<Record<string, number>> {
  const rows = await rowsOf(page, "members");
  return Object.fromEntries(rows.map(({ member = "", held }) => [labelOf(member), Number(held)]));
}

/** `web-1` of `web-1-8nfoi3mjhlpv`. */
function labelOf(id: string): string {
  return id.slice(0, id.lastIndexOf("-"));
}

/** The state of the member of this label, as the page shows it. */
async function stateOn(page: Page, label: string): Promise<string | undefined> {
  return (await rowsOf(page, "members")).find(({ member = "" }) => labelOf(member) === label)?.state;
}

function numberless(text: string): string {
  return text.replace(/[\d.,]+/g, "#");
}

/** What is there last when a view is shown. */
const READY: Readonly<Record<string, string>> = {
  fleet: "[data-testid=verdict]",
  events: "[data-testid=filter]",
  throttle: "[data-testid=members] tbody tr",
  semaphore: "[data-testid=members] tbody tr",
  keyed: "[data-testid=keys] tbody tr",
};

describe("dt console, in a browser", () => {
  test("shows the fleet, its verdict and the share of each process, as dt status does", async () => {
    await visit(chromium, console.url, {}, async (page) => {
      await until("the page lists the limiters of the fleet", 10_000, async () => {
        const names = (await rowsOf(page, "limiters")).map(({ name }) => name).sort();
        const { keyed, budget, pacer, semaphore, throttle } = NAMES;
        return names.join() === [keyed, budget, pacer, semaphore, throttle].sort().join();
      });
      expect(await page.getByTestId("verdict").textContent()).not.toBe("");
      await screenshot(page, "fleet");
      await openLimiter(page, NAMES.throttle);
      await until("the page has the findings and the shares of dt status", 10_000, async () => {
        const { limiters } = await statusOf();
        const throttle = limiters.find(({ name }) => name === NAMES.throttle);
        const { members = [], findings = [] } = throttle ?? {};
        const [shown, text] = [await sharesOn(page), await page.getByTestId("findings").textContent()];
        const isSame = members.every(({ id, held }) => Math.abs((shown[labelOf(id)] ?? -1_000) - held) <= 3);
        // Its numbers change from one second to the next.
        const isFound = numberless(text ?? "").includes(numberless(findings[0]?.text ?? "?"));
        return Object.keys(shown).length === 5 && members.length === 5 && isSame && isFound;
      });
      expect(await textsOf(page, "[data-testid=band-legend] .name")).toHaveLength(5);
    });
  });

  test("shows that a process is killed: it is silent, then gone, and the others have its share", async () => {
    await visit(chromium, console.url, {}, async (page) => {
      await openLimiter(page, NAMES.throttle);
      await until("the busiest two have their shares", 10_000, async () => {
        const { "web-1": first = 0, "web-2": second = 0 } = await sharesOn(page);
        return first + second >= 50 && second >= 20;
      });
      await fleet.kill("web-2");
      await until("the page shows that it is silent", 10_000, async () => (await stateOn(page, "web-2")) === "silent");
      await seeMark(page, "silent", "web-2-");
      await screenshot(page, "silent");
      await seeMark(page, "crash", "web-2-");
      await until("its share is with the others", 10_000, async () => {
        const { "web-1": first = 0, ...others } = await sharesOn(page);
        return others["web-2"] === undefined && first >= 45;
      });
      const { members = [] } = await throttleOf();
      expect(members.map(({ id }) => labelOf(id)).sort()).toEqual(["web-1", "web-3", "web-4", "web-5"]);
    });
  });

  test("shows that processes join and leave", async () => {
    await visit(chromium, console.url, {}, async (page) => {
      await openLimiter(page, NAMES.throttle);
      await fleet.start({ "batch-1": 40 });
      await seeMark(page, "join", "batch-1-");
      await until("it has a share", 10_000, async () => ((await sharesOn(page))["batch-1"] ?? 0) > 5);
      await screenshot(page, "killed");
      await fleet.leave("batch-1");
      await seeMark(page, "leave", "batch-1-");
      await until("it is gone", 10_000, async () => !("batch-1" in (await sharesOn(page))));
    });
  });

  test("shows who changed a limit, and why", async () => {
    await visit(chromium, console.url, {}, async (page) => {
      await openLimiter(page, NAMES.throttle);
      const set = await dt("limit", "set", redis.url, "throttle", NAMES.throttle, "120/s", "--reason", "sale today");
      expect(set.stderr).toBe("");
      await seeMark(page, "limit", "120", "sale today");
      await until("the limit in force is the new one", 10_000, async () =>
        (await page.getByTestId("facts").textContent())?.includes("120/s"),
      );
      expect(await page.getByTestId("history").textContent()).toContain("sale today");
    });
  });

  test("changes a limit, after it has shown what follows", async () => {
    await using writing = await RunningConsole.start(redis.url, "--port", "0", "--write", "--period", "500ms");
    await visit(chromium, writing.url, {}, async (page) => {
      await openLimiter(page, NAMES.throttle);
      await page.getByLabel("New limit").fill("90/s");
      await page.getByLabel("Reason").fill("the partner asked");
      await page.getByRole("button", { name: "See what follows" }).click();
      const preview = page.getByTestId("preview");
      await until("the page shows what follows", 10_000, async () => (await preview.textContent())?.includes("90"));
      expect((await throttleOf()).limits[0]?.max).not.toBe(90);
      await screenshot(page, "preview");
      await page.getByTestId("confirm").click();
      await until("the page shows that it is done", 10_000, () => page.getByTestId("limit-done").isVisible());
      await seeMark(page, "limit", "90", "the partner asked");
    });
    await until("the fleet has it", 10_000, async () => {
      const { limits, stored } = await throttleOf();
      return limits[0]?.max === 90 && stored?.history[0]?.why === "the partner asked";
    });
  });

  test("changes nothing without --write", async () => {
    await visit(chromium, console.url, {}, async (page) => {
      await openLimiter(page, NAMES.throttle);
      await until("the page has all of it", 10_000, async () => (await rowsOf(page, "members")).length > 0);
      expect(await page.getByTestId("limit-form").count()).toBe(0);
    });
    const answer = await fetch(`${console.origin}/api/limit`, {
      method: "POST",
      headers: { authorization: `Bearer ${console.token}`, "content-type": "application/json" },
      body: JSON.stringify({ kind: "throttle", name: NAMES.throttle, limit: "1/s" }),
    });
    expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining("--write")]);
    expect((await throttleOf()).limits[0]?.max).not.toBe(1);
  });

  test("has the minutes before when it is loaded again, and its address has no token", async () => {
    await using store = redisStore({ url: redis.url });
    await visit(chromium, console.url, {}, async (page) => {
      await openLimiter(page, NAMES.semaphore);
      await setLimit(store, { kind: "semaphore", name: NAMES.semaphore }, 9, { by: "ann", why: "one more" });
      await seeMark(page, "limit", "ann", "one more");
      const before = await textsOf(page, "[data-testid=marks] li");
      expect(page.url()).not.toContain(console.token);
      await page.reload();
      await seeMark(page, "limit", "ann", "one more");
      expect(await textsOf(page, "[data-testid=marks] li")).toEqual(expect.arrayContaining(before));
      expect(page.url()).not.toContain(console.token);
    });
  });

  test("is used with the keyboard alone", async () => {
    await visit(chromium, console.url, {}, async (page) => {
      await until("the page lists limiters", 10_000, async () => (await rowsOf(page, "limiters")).length === 5);
      await page.keyboard.press("/");
      await page.keyboard.type(NAMES.semaphore.slice(0, 4));
      await until("one limiter is left", 5_000, async () => (await rowsOf(page, "limiters")).length === 1);
      await page.keyboard.press("Escape");
      await page.keyboard.press("j");
      await page.keyboard.press("Enter");
      await until("it is open", 5_000, async () =>
        (await page.getByTestId("limiter-name").textContent())?.includes(NAMES.semaphore),
      );
      await page.keyboard.press("Escape");
      await until("the list is back", 5_000, async () => (await rowsOf(page, "limiters")).length > 0);
      await page.keyboard.press("?");
      await until("the keys are shown", 5_000, () => page.getByRole("dialog").isVisible());
      await page.keyboard.press("Escape");
      await until("they are gone", 5_000, async () => !(await page.getByRole("dialog").isVisible()));
    });
  });

  test.each([
    ["light", "wide", {}],
    ["dark", "wide", { dark: true }],
    ["light", "narrow", { width: 380, height: 800 }],
    ["dark", "narrow", { dark: true, width: 380, height: 800 }],
  ])("every view fits its window: %s, %s", async (colours, size, options) => {
    await visit(chromium, console.url, options, async (page) => {
      const background = await page.evaluate("getComputedStyle(document.body).backgroundColor");
      const [red = 0] = String(background).match(/\d+/g)?.map(Number) ?? [];
      expect(red < 128).toBe(colours === "dark");
      const { key: _, ...names } = NAMES;
      for (const [kind, name] of [["fleet", ""] as const, ["events", ""] as const, ...Object.entries(names)]) {
        const view = name === "" ? (kind === "fleet" ? "" : kind) : `${kind}/${name}`;
        await page.goto(`${console.origin}/#/${view}`);
        const shown = page.locator(READY[kind] ?? "[data-testid=facts]");
        await until(`${view} is shown`, 10_000, () => shown.first().isVisible());
        expect([view, await tooWide(page)]).toEqual([view, 0]);
        await screenshot(page, `${kind}-${colours}-${size}`);
        if (kind === "throttle") await screenshot(page, `shares-${colours}-${size}`, 610);
      }
    });
  });

  test("says that the store stands still, shows what was there, and goes on when it is back", async () => {
    await visit(chromium, console.url, {}, async (page) => {
      await openLimiter(page, NAMES.throttle);
      await until("members are shown", 10_000, async () => (await rowsOf(page, "members")).length >= 4);
      await redis.pause();
      try {
        await until("the page says it", 10_000, () => page.getByTestId("notice-store").isVisible());
        expect((await rowsOf(page, "members")).length).toBeGreaterThanOrEqual(4);
        await screenshot(page, "store-away");
      } finally {
        await redis.resume();
      }
      await until("the page is live again", 20_000, async () => !(await page.getByTestId("notice-store").isVisible()));
      await until("so are the members", 20_000, async () => (await stateOn(page, "web-1")) === "active");
    });
  });
});
