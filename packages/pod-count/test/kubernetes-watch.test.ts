import { describe, expect, it } from "vitest";
import { KubernetesFixture, pods } from "./support/kubernetes-fixture.ts";

const k = new KubernetesFixture();

describe("a list", () => {
  it("is asked for with the Service's label and the token, and gives the names of the pods of all slices, each once", async () => {
    k.api.put("web-1", pods("web-a", "web-b"));
    k.api.put("web-2", [{ pod: "web-c", addresses: ["10.0.1.1"], ready: false }, { addresses: ["10.9.9.9"] }]);
    k.api.put("web-6", [{ pod: "web-a", addresses: ["FD00::1"] }]);
    k.api.put("other", pods("other-a"), { service: "other", namespace: "default" });
    k.api.put("elsewhere", pods("web-z"), { service: "web", namespace: "elsewhere" });
    const observed = k.observe();
    await observed.until(({ last }) => last !== undefined);
    expect([...new Set(observed.last?.members as string[])].sort()).toEqual(["10.9.9.9", "web-a", "web-b", "web-c"]);
    expect(observed.last).toMatchObject({ self: "web-a", freshForMs: 15_000, lagMs: 16_000 });
    expect(k.api.requests[0]).toMatchObject({
      path: "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices",
      token: "first-token",
    });
    expect(k.api.requests[0]?.query.get("labelSelector")).toBe("kubernetes.io/service-name=web");
    expect(k.api.requests[0]?.query.has("resourceVersion")).toBe(false);
  });

  it.each(["web-b", "10.0.0.2"])("finds this pod as %s", async (self) => {
    k.api.put("web-1", pods("web-a", "web-b"));
    const observed = k.observe({ self });
    await observed.until(({ last }) => last !== undefined);
    expect(observed.last?.self).toBe("web-b");
  });

  it("of another namespace is that of the option", async () => {
    k.api.put("elsewhere", pods("web-z"), { service: "web", namespace: "elsewhere" });
    const observed = k.observe({ namespace: "elsewhere" });
    await observed.until(({ last }) => last !== undefined);
    expect(observed.members).toEqual(["web-z"]);
  });

  it("that is empty is a fleet without this member, not a failure", async () => {
    const observed = k.observe();
    await observed.until(({ last }) => last !== undefined);
    expect(observed.last).toMatchObject({ members: [], remedy: expect.stringContaining("selector") });
    expect(observed.errors).toEqual([]);
  });
});

describe("a watch", () => {
  it("tells of slices added, changed and deleted, without another list", async () => {
    k.api.put("web-1", pods("web-a"));
    const observed = k.observe();
    await observed.until(() => k.api.openWatches === 1);
    expect(k.api.watches[0]?.query.get("resourceVersion")).toBe(k.api.version);
    expect(k.api.watches[0]?.query.get("allowWatchBookmarks")).toBe("true");
    k.api.put("web-2", pods("web-b", "web-c"));
    await observed.until(({ members }) => String(members) === "web-a,web-b,web-c");
    k.api.put("web-2", pods("web-c"));
    await observed.until(({ members }) => String(members) === "web-a,web-c");
    k.api.delete("web-2");
    await observed.until(({ members }) => String(members) === "web-a");
    k.api.put("other", pods("other-a"), { service: "other", namespace: "default" });
    k.api.put("web-3", pods("web-d"));
    await observed.until(({ members }) => String(members) === "web-a,web-d");
    expect(k.api.lists).toHaveLength(1);
    expect(observed.errors).toEqual([]);
  });

  it("ends and begins again, which confirms the fleet, from the version of the last bookmark", async () => {
    k.api.put("web-1", pods("web-a"));
    const observed = k.observe({ confirmInterval: "1s" });
    await observed.until(() => k.api.openWatches === 1);
    expect(k.api.watches[0]?.query.get("timeoutSeconds")).toBe("1");
    k.api.bookmark();
    const { version } = k.api;
    const { length } = observed.answers;
    await observed.until(({ answers }) => k.api.watches.length >= 3 && answers.length >= length + 2);
    expect(k.api.watches[1]?.query.get("resourceVersion")).toBe(version);
    expect(observed.last?.freshForMs).toBe(6_000);
    expect(k.api.lists).toHaveLength(1);
    expect(observed.errors).toEqual([]);
  });

  it("of a version that has expired, told in an event, is followed by a list", async () => {
    k.api.put("web-1", pods("web-a"));
    const observed = k.observe();
    await observed.until(() => k.api.openWatches === 1);
    k.api.put("web-1", pods("web-a", "web-b"));
    k.api.expireWatches();
    await observed.until(() => k.api.lists.length === 2 && k.api.openWatches === 1);
    expect(observed.members).toEqual(["web-a", "web-b"]);
    expect(observed.errors).toEqual([]);
  });

  it("of a version that has expired, told with 410 Gone, is followed by a list that has what was missed", async () => {
    k.api.put("web-1", pods("web-a"));
    const observed = k.observe();
    await observed.until(() => k.api.openWatches === 1);
    k.api.dropConnections();
    k.api.put("web-1", pods("web-a", "web-b"));
    k.api.compact();
    await observed.until(({ members }) => String(members) === "web-a,web-b");
    expect(k.api.lists).toHaveLength(2);
    expect(observed.errors.map(({ code }) => code)).toEqual(["DT_STORE_UNAVAILABLE"]);
  });

  it("that is dropped goes on from where it was, and hears what happened in between", async () => {
    k.api.put("web-1", pods("web-a"));
    const observed = k.observe();
    await observed.until(() => k.api.openWatches === 1);
    const { version } = k.api;
    k.api.dropConnections();
    k.api.put("web-2", pods("web-b"));
    await observed.until(({ members }) => String(members) === "web-a,web-b");
    expect(k.api.watches.at(-1)?.query.get("resourceVersion")).toBe(version);
    expect(k.api.lists).toHaveLength(1);
    expect(observed.errors).toEqual([
      expect.objectContaining({
        code: "DT_STORE_UNAVAILABLE",
        message: expect.stringMatching(/the connection to .* failed \(ECONNRESET\)/),
      }),
    ]);
  });

  it("of a version from the future, after a restore from a backup, is given up for a list", async () => {
    k.api.put("web-1", pods("web-a"));
    k.api.bookmark();
    const observed = k.observe();
    await observed.until(() => k.api.openWatches === 1);
    await k.api.stop();
    await k.startAgain();
    k.api.put("web-1", pods("web-b"));
    await observed.until(({ members }) => String(members) === "web-b");
    expect(k.api.lists).toHaveLength(1);
    expect(observed.errors.at(-1)?.message).toContain("504 (Too large resource version: 102, current: 101)");
  });

  it("that is dropped again and again is begun again with growing pauses, and at last everything is listed", async () => {
    k.api.put("web-1", pods("web-a"));
    const observed = k.observe();
    await observed.until(() => k.api.openWatches === 1);
    k.api.failing = { status: 503, times: 3 };
    const { length } = k.api.requests;
    const startMs = performance.now();
    k.api.dropConnections();
    await observed.until(() => k.api.requests.length >= length + 4);
    // Pauses of at least 100, 200, 400 and 800 ms before the four attempts.
    expect(performance.now() - startMs).toBeGreaterThan(100 + 200 + 400 + 800 - 10);
    expect(observed.errors.map(({ message }) => message)).toEqual([
      expect.stringContaining("failed"),
      ...Array(3).fill(expect.stringContaining("answered 503 (it was told to)")),
    ]);
    // The last one was answered, so that a watch of it may follow.
    expect(k.api.requests.slice(length, length + 4).map(({ query }) => query.has("watch"))).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it("that the server ends at once, with nothing in it, is a failure and begun again with growing pauses", async () => {
    k.api.put("web-1", pods("web-a"));
    k.api.endingAtOnce = true;
    const observed = k.observe();
    const startMs = performance.now();
    await observed.until(() => k.api.watches.length >= 4);
    expect(performance.now() - startMs).toBeGreaterThan(100 + 200 + 400 - 10);
    expect(observed.errors[0]).toMatchObject({ message: expect.stringContaining("ended a watch at once") });
    k.api.endingAtOnce = false;
    await observed.until(() => k.api.openWatches === 1);
  });

  it("that is silent beyond its end is dropped, since its connection may be dead", async () => {
    k.api.put("web-1", pods("web-a"));
    const observed = k.observe({ confirmInterval: "1s", timeout: "300ms" });
    await observed.until(() => k.api.openWatches === 1);
    k.api.stopEnding = true;
    await observed.until(({ errors }) => errors.length > 0);
    expect(observed.errors[0]).toMatchObject({ code: "DT_STORE_UNAVAILABLE" });
    k.api.stopEnding = false;
    const { length } = observed.answers;
    await observed.until(({ answers }) => answers.length > length);
  });

  it.each([
    ["{", /a watch answered "\{", which is not an event/],
    ["7", /which is not an event/],
    [JSON.stringify({ type: "SURPRISE", object: {} }), /unknown type "SURPRISE"/],
    [JSON.stringify({ type: "ADDED", object: { metadata: {} } }), /a slice without a name/],
    [JSON.stringify({ type: "BOOKMARK", object: { metadata: {} } }), /no resourceVersion/],
    [
      JSON.stringify({ type: "ADDED", object: { metadata: { name: "x", resourceVersion: "1" }, endpoints: [{}] } }),
      /an endpoint without addresses/,
    ],
  ])("that says %s is refused, and the fleet stays what it was", async (line, message) => {
    k.api.put("web-1", pods("web-a"));
    const observed = k.observe();
    await observed.until(() => k.api.openWatches === 1);
    k.api.sendLine(line);
    await observed.until(({ errors }) => errors.length > 0);
    expect(observed.errors[0]).toMatchObject({ code: "DT_STORE_REPLY", message: expect.stringMatching(message) });
    expect(observed.members).toEqual(["web-a"]);
    await observed.until(() => k.api.openWatches === 1);
  });
});
