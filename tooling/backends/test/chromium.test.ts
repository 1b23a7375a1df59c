import { existsSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Chromium, type ChromiumOptions, startChromium } from "../src/chromium.ts";
import { processTree } from "../src/process-tree.ts";
import { until } from "../src/until.ts";
import { expectNothingLeft } from "./leftovers.ts";
import { withVariable } from "./with-variable.ts";

/** A server of pages, until the end of the test; its address. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const html = (body: string, headers: Record<string, string> = {}): Promise<string> =>
  serve((_, response) => {
    response.writeHead(200, { "content-type": "text/html", ...headers });
    response.end(`<!doctype html><link rel="icon" href="data:,"><body>${body}`);
  });

async function started(options?: ChromiumOptions): Promise<Chromium> {
  const chromium = await startChromium(options);
  onTestFinished(() => chromium.stop());
  return chromium;
}

describe("a Chromium", () => {
  test("shows pages as wide and as dark as asked, which share nothing", async () => {
    const chromium = await started();
    const url = await html("<p>hello</p>");
    await using light = await chromium.newPage({ width: 380, height: 700 });
    await using dark = await chromium.newPage({ dark: true });
    const look = `(document.cookie = "seen=" + document.cookie + "1", {
      text: document.body.textContent,
      width: innerWidth,
      isDark: matchMedia("(prefers-color-scheme: dark)").matches,
      cookie: document.cookie,
    })`;
    const seen = [];
    for (const { page } of [light, dark]) {
      await page.goto(url);
      seen.push(await page.evaluate(look));
    }
    expect(seen).toEqual([
      { text: "hello", width: 380, isDark: false, cookie: "seen=1" },
      { text: "hello", width: 1280, isDark: true, cookie: "seen=1" },
    ]);
    expect([...light.problems, ...dark.problems]).toEqual([]);
  });

  test("reports what goes wrong in a page: errors, its console, its policy, files that are not there", async () => {
    const chromium = await started();
    const shown = async (body: string, headers?: Record<string, string>): Promise<string> => {
      await using window = await chromium.newPage();
      await window.page.goto(await html(body, headers));
      await until("the page has a problem", 10_000, () => window.problems.length > 0);
      return window.problems.join("\n");
    };
    expect(await shown("<script>setTimeout(() => nothing.at.all)</script>")).toContain("nothing is not defined");
    expect(await shown("<script>console.warn('too old')</script>")).toContain("warning: too old");
    const policy = { "content-security-policy": "default-src 'none'; img-src data:" };
    expect(await shown("<script>1</script>", policy)).toContain("Content Security Policy");
    const missing = await serve((_, response) => void response.writeHead(404).end());
    expect(await shown(`<img src="${missing}">`)).toContain("404");
  });

  test("takes names for the addresses that they are said to have", async () => {
    const chromium = await started({ hosts: { "one.test": "127.0.0.1", "two.test": "127.0.0.1" } });
    const seen = serve(({ headers }, response) => void response.end(`for ${headers.host}`));
    const { port } = new URL(await seen);
    await using window = await chromium.newPage();
    for (const host of [`one.test:${port}`, `two.test:${port}`]) {
      await window.page.goto(`http://${host}/`);
      expect(await window.page.textContent("body")).toBe(`for ${host}`);
    }
  });

  test("leaves no process and no folder, even when it is stopped twice", async () => {
    const chromium = await startChromium();
    await chromium.newPage();
    const pids = processTree(chromium.pid as number);
    expect(pids.length).toBeGreaterThan(2);
    expect(existsSync(chromium.folder)).toBe(true);
    await Promise.all([chromium.stop(), chromium.stop()]);
    expectNothingLeft(pids, chromium.folder);
  });

  test("is the program that is asked for, and one that is not there is named", async () => {
    await withVariable("DT_CHROMIUM", "/no/such/chrome", async () => {
      await expect(startChromium()).rejects.toThrow(/DT_CHROMIUM=\/no\/such\/chrome is no program.*apt-get install/);
    });
    const folder = await mkdtemp(join(tmpdir(), "dt-backends-test-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    await withVariable("TMPDIR", folder, () =>
      withVariable("DT_CHROMIUM", "/bin/false", async () => {
        await expect(startChromium()).rejects.toThrow(/chromium did not start/);
      }),
    );
    expect(await readdir(folder)).toEqual([]);
  });
});
