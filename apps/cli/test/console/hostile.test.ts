import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { getLimit, setLimit } from "@dt/core";
import { redisStore } from "@dt/redis";
import { type RedisServer, startRedis, until } from "@dt-tooling/backends";
import { type Chromium, type Page, startChromium } from "@dt-tooling/backends/chromium";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RunningConsole } from "./support/console.ts";
import { Fleet } from "./support/fleet.ts";
import { screenshot } from "./support/screenshot.ts";
import { openLimiter, rowsOf, visit } from "./support/shown.ts";

const [IMAGE, SCRIPT, SVG, BOLD] = [
  "<img src=x onerror=alert(1)>",
  '"><script>alert(2)</script>',
  "</script><svg onload=alert(3)>",
  "<b onmouseover='alert(4)'>sale</b>",
];

const running = new AsyncDisposableStack();
let redis: RedisServer;
let chromium: Chromium;
let console: RunningConsole;

beforeAll(async () => {
  redis = running.use(await startRedis({ control: true }));
  chromium = running.use(await startChromium({ hosts: { "rebound.test": "127.0.0.1" } }));
  const fleet = running.use(new Fleet(redis.url, { throttle: IMAGE, keyed: SVG, key: SVG }));
  await fleet.start({ [SCRIPT]: 20 });
  console = running.use(await RunningConsole.start(redis.url, "--port", "0", "--write", "--period", "500ms"));
});
afterAll(() => running.disposeAsync());

/** Elements that only a name could have made. */
function madeByNames(page: Page): Promise<number> {
  return page.evaluate(
    "document.querySelectorAll('body :is(img, script, svg, iframe, [onerror], [onmouseover])').length",
  );
}

/** A page of another origin; its address. */
async function pageElsewhere(body: string): Promise<string> {
  const server = createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/html" });
    response.end(`<!doctype html><link rel="icon" href="data:,"><body>${body}`);
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  running.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

describe("dt console, with hostile names", () => {
  test("shows names, members, keys and reasons with HTML as text", async () => {
    await using store = redisStore({ url: redis.url });
    await setLimit(store, { kind: "throttle", name: IMAGE }, "90/s", { by: SCRIPT, why: BOLD });
    await visit(chromium, console.url, {}, async (page) => {
      const dialogs: string[] = [];
      page.on("dialog", (dialog) => {
        dialogs.push(dialog.message());
        void dialog.dismiss();
      });
      await until("both names are there", 10_000, async () => {
        const names = (await rowsOf(page, "limiters")).map(({ name }) => name);
        return names.includes(IMAGE) && names.includes(SVG);
      });
      await screenshot(page, "hostile");
      await openLimiter(page, IMAGE);
      await until("the member is there", 10_000, async () =>
        (await rowsOf(page, "members"))[0]?.member?.startsWith(`${SCRIPT}-`),
      );
      await until("so are who and why", 10_000, async () => {
        const history = await page.getByTestId("history").textContent();
        return history?.includes(SCRIPT) && history.includes(BOLD);
      });
      await page.goto(`${console.origin}/#/events`);
      await page.goto(`${console.origin}/#/keyed/${encodeURIComponent(SVG)}`);
      await until("the key is there", 10_000, async () => (await rowsOf(page, "keys")).some(({ key }) => key === SVG));
      expect([await madeByNames(page), dialogs]).toEqual([0, []]);
    });
  });

  test("goes on beside a damaged row, and one that claims a million members", async () => {
    await using store = redisStore({ url: redis.url });
    await using client = Object.assign(new Redis(redis.url), {
      async [Symbol.asyncDispose]() {
        client.disconnect();
      },
    });
    for (const [group, damage] of [
      [
        "million",
        "local v = { cmsgpack.unpack(redis.call('HGET', KEYS[1], 'group')) } v[4] = 1000000 redis.call('HSET', KEYS[1], 'group', cmsgpack.pack(unpack(v, 1, 29)))",
      ],
      ["rubbish", "redis.call('HSET', KEYS[1], 'group', '<img src=x onerror=alert(5)>')"],
    ] as const) {
      const times = { intervalMs: 1_000, staleAfterMs: 600_000, learningMs: 0, resumeWithinMs: 0, observedMs: 0 };
      const member = { id: "m", incarnation: "i", seq: 1, rejoin: false, claim: 0, max: 10, level: null };
      await store.register(group, { ...member, ...times });
      expect(await client.hexists(`dt:{${group}}:rows`, "group")).toBe(1);
      await client.eval(damage, 1, `dt:{${group}}:rows`);
    }
    await visit(chromium, console.url, {}, async (page) => {
      await until("the damaged one needs attention", 10_000, async () => {
        const row = (await rowsOf(page, "limiters")).find(({ name }) => name === "rubbish");
        return row?.state === "attention";
      });
      await openLimiter(page, "million");
      await until("the page goes on", 10_000, async () => (await rowsOf(page, "members")).length <= 1);
      await page.goto(`${console.origin}/#/throttle/rubbish`);
      await until("what is wrong is said", 10_000, () => page.getByTestId("limiter-error").isVisible());
      expect(await madeByNames(page)).toBe(0);
      await screenshot(page, "damaged");
    });
  });
});

describe("dt console, before pages of others", () => {
  test("is neither read nor ordered by a page of another origin that knows the token", async () => {
    const order = JSON.stringify({ kind: "throttle", name: IMAGE, limit: "1/s" });
    const url = await pageElsewhere(`<iframe src="${console.url}"></iframe><script>
      const [at, token, body] = ${JSON.stringify([console.origin, console.token, order])};
      const json = { "content-type": "application/json", authorization: "Bearer " + token };
      const attempts = {
        fetched: async () => (await fetch(at + "/api/events?token=" + token)).status,
        streamed: () => new Promise((resolve, reject) => {
          const source = new EventSource(at + "/api/events?token=" + token);
          source.addEventListener("hello", () => resolve("read"));
          source.onerror = () => (source.close(), reject(new Error("closed")));
        }),
        ordered: async () => (await fetch(at + "/api/limit", { method: "POST", headers: json, body })).status,
        orderedBlindly: async () =>
          (await fetch(at + "/api/limit?token=" + token, { method: "POST", mode: "no-cors", body })).type,
      };
      window.outcomes = Promise.all(Object.entries(attempts).map(async ([name, attempt]) =>
        [name, await attempt().catch(() => "refused")]));
    </script>`);
    // Each of these is a problem on the console of the other page.
    await visit(chromium, url, { expected: /./ }, async (page) => {
      const outcomes = Object.fromEntries((await page.evaluate("outcomes")) as [string, unknown][]);
      expect(outcomes).toMatchObject({ fetched: "refused", streamed: "refused", ordered: "refused" });
      // What a browser shows in place of a page that may not be framed.
      await until("the frame is empty", 10_000, () => page.frames()[1]?.url() === "chrome-error://chromewebdata/");
    });
    await using store = redisStore({ url: redis.url });
    expect((await getLimit(store, { kind: "throttle", name: IMAGE }))?.values).not.toMatchObject({ max: 1 });
  });

  test("is not read under a name that was bound anew to this address", async () => {
    const { port } = new URL(console.url);
    await visit(
      chromium,
      console.url.replace("127.0.0.1", "rebound.test"),
      { expected: /421|untrustworthy/ },
      async (page) => {
        expect(await page.textContent("body")).toContain(`http://127.0.0.1:${port}/`);
        const statuses = await page.evaluate(`Promise.all(
        ["/api/events", "/api/limiter", "/page.js"].map((path) =>
          fetch(path + "?token=${console.token}").then(({ status }) => status)))`);
        expect(statuses).toEqual([421, 421, 421]);
      },
    );
  });

  test("keeps its token out of the address bar and out of every Referer", async () => {
    await using window = await chromium.newPage();
    const referers: string[] = [];
    window.page.on("request", (request) => {
      const { referer = "" } = request.headers();
      referers.push(referer);
    });
    await window.page.goto(console.url);
    await openLimiter(window.page, IMAGE);
    expect(window.page.url()).not.toContain(console.token);
    expect(referers.length).toBeGreaterThan(2);
    expect(referers.filter((referer) => referer.includes(console.token))).toEqual([]);
    await window.page.goBack();
    expect(window.page.url()).not.toContain(console.token);
  });

  test("says what to do with a token of before a restart", async () => {
    await using before = await RunningConsole.start(redis.url, "--port", "0");
    const { port } = new URL(before.url);
    await visit(chromium, before.url, { expected: /ERR_|401/ }, async (page) => {
      await until("it is live", 10_000, async () => (await rowsOf(page, "limiters")).length > 0);
      await before.stop();
      await until("the page says that it is gone", 10_000, () => page.getByTestId("notice-reconnecting").isVisible());
      await using after = await RunningConsole.start(redis.url, "--port", port);
      await until("the page says what to do", 10_000, () => page.getByTestId("notice-refused").isVisible());
      expect(await page.getByTestId("notice-refused").textContent()).toContain("dt console");
      await screenshot(page, "restarted");
      await page.goto(before.url);
      expect(await page.textContent("body")).toContain("dt console");
      expect(after.url).not.toBe(before.url);
    });
  });
});
