import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createThrottle, type Duration, type Throttle } from "@dt/core";
import { dnsSource, kubernetesSource, type MemberSource, type PodCountStore, podCountStore } from "@dt/pod-count";
import { timed } from "@dt-tooling/backends";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DnsServer, RCODE } from "./support/dns-server.ts";
import { KubernetesApi } from "./support/kubernetes-api.ts";

const MAX = 100;
const PODS = ["web-a", "web-b", "web-c"];
const throttles: Throttle[] = [];
const stores: PodCountStore[] = [];
let dns: DnsServer;
let api: KubernetesApi;
let folder: string;

beforeEach(async () => {
  dns = await DnsServer.start();
  api = await KubernetesApi.start();
  folder = mkdtempSync(join(tmpdir(), "dt-service-account-"));
  const files = { token: "first-token", "ca.crt": api.certificate.ca, namespace: "default" };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
});
afterEach(async () => {
  for (const throttle of throttles.splice(0)) await throttle.stop();
  for (const store of stores.splice(0)) await store.close();
  await api.stop();
  await dns.stop();
  rmSync(folder, { recursive: true });
});

/** What is not about deadlines is not failed by a machine that stands still for a second. */
const PATIENT = { timeout: "5s", storeTimeout: "6s" } as const;

/** A throttle on a store of its own, as in a pod of its own. The settle time is short, so that the test is. */
async function start(
  source: MemberSource,
  { timeout, storeTimeout }: Readonly<Record<"timeout" | "storeTimeout", Duration>> = PATIENT,
): Promise<Throttle> {
  const store = podCountStore({ source, settle: 500, timeout });
  stores.push(store);
  const throttle = createThrottle({ name: "g", max: MAX, interval: 200, store, syncInterval: 50, storeTimeout });
  throttles.push(throttle);
  // A single try: what it fails with is told, not how long a start goes on.
  await throttle.start({ timeout: 0 });
  return throttle;
}

async function until(condition: () => boolean): Promise<void> {
  const deadlineMs = performance.now() + 120_000;
  while (!condition()) {
    if (performance.now() > deadlineMs)
      throw new Error(
        `not within 120 s: ${condition}; ${JSON.stringify(throttles.map((throttle) => throttle.status()))}`,
      );
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

const shares = (): number[] => throttles.map((throttle) => throttle.status().share);
const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
const list = (names: readonly string[]): void =>
  api.put(
    "slice",
    names.map((pod, index) => ({ pod, addresses: [`10.0.0.${index + 1}`] })),
  );

describe("pods that watch EndpointSlices", () => {
  it("share the limit exactly, make room for another at once, and take over from one that is gone", async () => {
    const source = (self: string): MemberSource =>
      kubernetesSource({ service: "web", url: api.url, serviceAccount: folder, self });
    list(PODS);
    for (const pod of PODS) await start(source(pod));
    expect(shares()).toEqual([0, 0, 0]);
    await until(() => sum(shares()) === MAX);
    expect(shares()).toEqual([34, 33, 33]);

    list([...PODS, "web-d"]);
    await until(() => throttles.every((throttle) => throttle.status().members === 4));
    const fourth = await start(source("web-d"));
    expect(fourth.status().share).toBe(0);
    await until(() => sum(shares()) === MAX);
    expect(shares()).toEqual([25, 25, 25, 25]);

    await throttles.shift()?.stop();
    list(["web-b", "web-c", "web-d"]);
    await until(() => shares().join() === "34,33,33");
  });

  it("go on with what they saw last while the API server is gone for a moment", async () => {
    list(["web-a"]);
    const throttle = await start(
      kubernetesSource({ service: "web", url: api.url, serviceAccount: folder, self: "web-a" }),
    );
    expect(await throttle.acquireUpTo(MAX)).toBe(MAX);
    const { port, certificate } = api;
    await api.stop();
    expect(await throttle.acquireUpTo(MAX)).toBe(MAX);
    expect(await throttle.acquireUpTo(MAX)).toBe(MAX);
    api = await KubernetesApi.start(port, certificate);
    api.bookmark();
    list(PODS);
    await until(() => throttle.status().share === 34);
  });
});

describe("pods that are listed by DNS", () => {
  it("share the limit exactly and follow the list", async () => {
    const addresses = ["10.0.0.1", "10.0.0.2"];
    dns.answerA(addresses, 5);
    for (const self of addresses)
      await start(dnsSource({ name: "web.test", servers: [dns.address], self, pollInterval: "50ms" }));
    await until(() => shares().join() === "50,50");
    dns.answerA([...addresses, "10.0.0.3"], 5);
    await until(() => shares().join() === "34,33");
  });

  it("are told at the start when there is no such name", async () => {
    dns.reply = () => ({ rcode: RCODE.noSuchName });
    await expect(
      start(dnsSource({ name: "web.test", servers: [dns.address], self: "10.0.0.1" })),
    ).rejects.toMatchObject({
      code: "DT_STORE_UNAVAILABLE",
      message: expect.stringContaining("NXDOMAIN"),
    });
  });

  it("are told at the start, in time, when nobody answers", async () => {
    dns.reply = () => "silence";
    const source = dnsSource({ name: "web.test", servers: [dns.address], self: "10.0.0.1" });
    const started = start(source, { timeout: "1s", storeTimeout: "1250ms" });
    const { error, ms } = await timed(started);
    expect(error).toMatchObject({ code: expect.stringMatching(/^DT_STORE_(TIMEOUT|UNAVAILABLE)$/) });
    expect(ms).toBeLessThan(2_000);
  });
});
