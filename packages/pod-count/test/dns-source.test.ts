import { DtError } from "@dt/core";
import { type DnsSourceOptions, dnsSource } from "@dt/pod-count";
import { timed } from "@dt-tooling/backends";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DnsServer, RCODE } from "./support/dns-server.ts";
import { Observed } from "./support/observe.ts";

const NAME = "web.default.svc.cluster.local";

let server: DnsServer;
const opened: Observed[] = [];
beforeEach(async () => {
  server = await DnsServer.start();
});
afterEach(async () => {
  for (const observed of opened.splice(0)) observed.close();
  await server.stop();
});

function observe(options: Partial<DnsSourceOptions> = {}): Observed {
  const observed = new Observed(
    dnsSource({ name: NAME, servers: [server.address], self: "10.0.0.1", pollInterval: "50ms", ...options }),
  );
  opened.push(observed);
  return observed;
}

describe("A records", () => {
  it("are the fleet, with this member in it, and changes are seen at the next question", async () => {
    server.answerA(["10.0.0.2", "10.0.0.1"], 5);
    const observed = observe();
    await observed.until(({ last }) => last !== undefined);
    expect(observed.members).toEqual(["10.0.0.1", "10.0.0.2"]);
    expect(observed.last).toMatchObject({ self: "10.0.0.1", freshForMs: 5_050, lagMs: 5_000 + 5_000 + 1_000 });
    server.answerA(["10.0.0.1", "10.0.0.2", "10.0.0.3"], 5);
    await observed.until(({ members }) => Array.isArray(members) && members.length === 3);
    server.answerA(["10.0.0.2", "10.0.0.3"], 5);
    await observed.until(({ members }) => Array.isArray(members) && members.length === 2);
    expect(observed.last?.self).toBeUndefined();
    expect(observed.errors).toEqual([]);
  });

  it("are asked for again when their time to live is over, not before", async () => {
    server.answerA(["10.0.0.1"], 2);
    const observed = observe({ pollInterval: "30s" });
    await observed.until(({ answers }) => answers.length === 1);
    const firstMs = performance.now();
    expect(observed.last?.freshForMs).toBe(2_000 + 5_000);
    await observed.until(({ answers }) => answers.length === 2);
    expect(performance.now() - firstMs).toBeGreaterThan(1_900);
    expect(server.asked).toHaveLength(2);
  });

  it("with the remaining time of a cache make the lag that of the longest seen", async () => {
    server.answerA(["10.0.0.1"], 30);
    const observed = observe();
    await observed.until(({ last }) => last !== undefined);
    server.answerA(["10.0.0.1"], 1);
    const { length } = observed.answers;
    await observed.until(({ answers }) => answers.length > length + 1);
    expect(observed.last?.lagMs).toBe(30_000 + 5_000 + 1_000);
  });

  it("that caches may keep for a week are refused with the remedy, and taken once they are not", async () => {
    server.answerA(["10.0.0.1"], 7 * 86_400);
    const observed = observe();
    await observed.until(({ errors }) => errors.length > 0);
    expect(observed.errors[0]).toMatchObject({
      code: "DT_STORE_UNSUITABLE",
      message: expect.stringMatching(/a time to live of 604800 s, .*lower it to 3600 s at most/),
    });
    expect(observed.answers).toEqual([]);
    server.answerA(["10.0.0.1"], 5);
    await observed.until(({ last }) => last !== undefined);
    expect(observed.last?.lagMs).toBe(5_000 + 5_000 + 1_000);
  });

  it("that do not fit into a datagram come over TCP", async () => {
    const addresses = Array.from({ length: 300 }, (_, index) => `10.0.${index >> 8}.${index & 255}`);
    server.answerA(addresses, 5);
    const observed = observe({ timeout: "5s" });
    await observed.until(({ last }) => last !== undefined);
    expect(observed.last?.members).toHaveLength(300);
    expect(server.asked.map(({ over }) => over)).toEqual(expect.arrayContaining(["udp", "tcp"]));
  });

  it("that are none are a fleet without this member, not a failure", async () => {
    server.reply = () => ({ answers: [] });
    const observed = observe();
    await observed.until(({ last }) => last !== undefined);
    expect(observed.last).toMatchObject({
      members: [],
      remedy: expect.stringContaining("publishNotReadyAddresses: true"),
    });
    expect(observed.last?.self).toBeUndefined();
    expect(observed.errors).toEqual([]);
  });
});

describe("other records", () => {
  it("AAAA lists IPv6 addresses", async () => {
    server.reply = ({ name, type }) =>
      type === "AAAA" ? { answers: [{ type: "AAAA", name, ttl: 5, data: "fd00::1" }] } : { rcode: RCODE.noSuchName };
    const observed = observe({ type: "AAAA", self: "FD00::1" });
    await observed.until(({ last }) => last !== undefined);
    expect(observed.last).toMatchObject({ members: ["fd00::1"], self: "fd00::1" });
  });

  it.each([
    ["web-1", "web-1.web.default.svc.cluster.local"],
    ["web-1.web.default.svc.cluster.local", "web-1.web.default.svc.cluster.local"],
    ["10.0.0.7", "10-0-0-7.web.default.svc.cluster.local"],
  ])("SRV lists host names, and %s is %s among them", async (self, target) => {
    const targets = [
      "web-0.web.default.svc.cluster.local",
      "Web-1.web.default.svc.cluster.local",
      "10-0-0-7.web.default.svc.cluster.local",
    ];
    server.reply = ({ name }) => ({
      answers: targets.map((to) => ({
        type: "SRV",
        name,
        ttl: 5,
        data: { port: 80, target: to, priority: 0, weight: 1 },
      })),
    });
    const observed = observe({ type: "SRV", name: `_http._tcp.${NAME}`, self, ttl: "10s" });
    await observed.until(({ last }) => last !== undefined);
    expect(observed.members).toEqual([...targets].map((name) => name.toLowerCase()).sort());
    expect(observed.last).toMatchObject({ self: target, freshForMs: 5_050, lagMs: 10_000 + 5_000 + 50 });
  });
});

describe("a server in trouble", () => {
  it.each([
    ["there is no such name", RCODE.noSuchName, /ENOTFOUND.*NXDOMAIN.*full name of a headless Service/],
    ["the server fails", RCODE.serverFailure, /ESERVFAIL.*SERVFAIL.*stays in use/],
    ["the server refuses", RCODE.refused, /EREFUSED.*REFUSED/],
  ])("%s: that is said, with what to do, and asked again until it is over", async (_, rcode, message) => {
    server.reply = () => ({ rcode });
    const observed = observe();
    await observed.until(({ errors }) => errors.length >= 2);
    expect(observed.errors[0]).toBeInstanceOf(DtError);
    expect(observed.errors[0]).toMatchObject({ code: "DT_STORE_UNAVAILABLE", message: expect.stringMatching(message) });
    expect(observed.answers).toEqual([]);
    server.answerA(["10.0.0.1"], 5);
    await observed.until(({ last }) => last !== undefined);
  });

  it("a silent one is given up at the deadline", async () => {
    server.reply = () => "silence";
    const observed = observe({ timeout: "600ms" });
    const { ms } = await timed(observed.until(({ errors }) => errors.length > 0));
    expect(ms).toBeLessThan(3_000);
    expect(["DT_STORE_TIMEOUT", "DT_STORE_UNAVAILABLE"]).toContain(observed.errors[0]?.code);
  });

  it("a lost packet is sent again within the deadline", async () => {
    let lost = 0;
    server.reply = ({ name }) =>
      lost++ === 0 ? "silence" : { answers: [{ type: "A", name, ttl: 5, data: "10.0.0.1" }] };
    const observed = observe({ timeout: "3s" });
    await observed.until(({ last }) => last !== undefined);
    expect(observed.errors).toEqual([]);
  });

  it("a dead one is passed over for the next", async () => {
    const dead = await DnsServer.start();
    const address = dead.address;
    await dead.stop();
    server.answerA(["10.0.0.1"], 5);
    const observed = observe({ servers: [address, server.address], timeout: "3s" });
    await observed.until(({ last }) => last !== undefined);
    expect(observed.errors).toEqual([]);
  });
});

describe("closing", () => {
  it("stops asking, also while a question is open", async () => {
    server.reply = () => "silence";
    const observed = observe();
    while (server.asked.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    observed.close();
    server.answerA(["10.0.0.1"], 5);
    const { length } = server.asked;
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect(server.asked).toHaveLength(length);
    expect(observed.answers).toEqual([]);
    expect(observed.errors).toEqual([]);
  });
});

describe("options", () => {
  it.each([
    [undefined, /dnsSource options is undefined/],
    [{ name: "" }, /name is ""/],
    [{ name: NAME, type: "MX" }, /type is "MX"; give "A", "AAAA" or "SRV"/],
    [{ name: NAME, servers: [] }, /servers is/],
    [{ name: NAME, servers: Object.create(null) }, /servers is an object; give addresses/],
    [{ name: NAME, servers: ["dns.example"] }, /servers is "dns.example"; give addresses/],
    [{ name: NAME, self: 7 }, /self is 7/],
    [{ name: NAME, pollInterval: 0 }, /pollInterval is 0/],
    [{ name: NAME, timeout: "x" }, /timeout is "x"/],
    [{ name: NAME, ttl: "7d" }, /ttl is "7d"; give at most 1 h/],
    [{ name: NAME, server: ["10.0.0.1"] }, /server: there is no such option; did you mean servers\?/],
  ])("%j are refused with the remedy", (options, message) => {
    expect(() => dnsSource(options as unknown as DnsSourceOptions)).toThrow(message);
  });

  it.each(["10.0.0.10", "10.0.0.10:5353", "fd00::10", "[fd00::10]", "[fd00::10]:53"])(
    "a server may be %s",
    (server) => {
      expect(dnsSource({ name: NAME, servers: [server] }).name).toBe(`dns A ${NAME}`);
    },
  );
});
