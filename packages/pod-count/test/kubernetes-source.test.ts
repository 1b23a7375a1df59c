import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type KubernetesSourceOptions, kubernetesSource } from "@dt/pod-count";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { makeServerCertificate, type ServerCertificate } from "./support/certificates.ts";
import { KubernetesApi, type PodEndpoint } from "./support/kubernetes-api.ts";
import { Observed } from "./support/observe.ts";

let certificate: ServerCertificate;
let api: KubernetesApi;
let folder: string;
const opened: Observed[] = [];

beforeAll(async () => {
  certificate = await makeServerCertificate(["127.0.0.1"]);
});
beforeEach(async () => {
  api = await KubernetesApi.start(0, certificate);
  folder = mkdtempSync(join(tmpdir(), "dt-service-account-"));
  mount({ token: "first-token\n", "ca.crt": certificate.ca, namespace: "default" });
});
afterEach(async () => {
  for (const observed of opened.splice(0)) observed.close();
  await api.stop();
  rmSync(folder, { recursive: true });
});

function mount(files: Readonly<Record<string, string>>): void {
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
}

function observe(options: Partial<KubernetesSourceOptions> = {}): Observed {
  const observed = new Observed(
    kubernetesSource({ service: "web", url: api.url, serviceAccount: folder, self: "web-a", ...options }),
  );
  opened.push(observed);
  return observed;
}

const pods = (...names: readonly string[]): PodEndpoint[] =>
  names.map((name, index) => ({ pod: name, addresses: [`10.0.0.${index + 1}`] }));

describe("a list", () => {
  it("is asked for with the Service's label and the token, and gives the names of the pods of all slices, each once", async () => {
    api.put("web-1", pods("web-a", "web-b"));
    api.put("web-2", [{ pod: "web-c", addresses: ["10.0.1.1"], ready: false }, { addresses: ["10.9.9.9"] }]);
    api.put("web-6", [{ pod: "web-a", addresses: ["FD00::1"] }]);
    api.put("other", pods("other-a"), { service: "other", namespace: "default" });
    api.put("elsewhere", pods("web-z"), { service: "web", namespace: "elsewhere" });
    const observed = observe();
    await observed.until(({ last }) => last !== undefined);
    expect([...new Set(observed.last?.pool as string[])].sort()).toEqual(["10.9.9.9", "web-a", "web-b", "web-c"]);
    expect(observed.last).toMatchObject({ self: "web-a", freshForMs: 15_000, lagMs: 16_000 });
    expect(api.requests[0]).toMatchObject({
      path: "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices",
      token: "first-token",
    });
    expect(api.requests[0]?.query.get("labelSelector")).toBe("kubernetes.io/service-name=web");
    expect(api.requests[0]?.query.has("resourceVersion")).toBe(false);
  });

  it.each(["web-b", "10.0.0.2"])("finds this pod as %s", async (self) => {
    api.put("web-1", pods("web-a", "web-b"));
    const observed = observe({ self });
    await observed.until(({ last }) => last !== undefined);
    expect(observed.last?.self).toBe("web-b");
  });

  it("of another namespace is that of the option", async () => {
    api.put("elsewhere", pods("web-z"), { service: "web", namespace: "elsewhere" });
    const observed = observe({ namespace: "elsewhere" });
    await observed.until(({ last }) => last !== undefined);
    expect(observed.pool).toEqual(["web-z"]);
  });

  it("that is empty is a pool without this processor, not a failure", async () => {
    const observed = observe();
    await observed.until(({ last }) => last !== undefined);
    expect(observed.last).toMatchObject({ pool: [], remedy: expect.stringContaining("selector") });
    expect(observed.errors).toEqual([]);
  });
});

describe("a watch", () => {
  it("tells of slices added, changed and deleted, without another list", async () => {
    api.put("web-1", pods("web-a"));
    const observed = observe();
    await observed.until(() => api.openWatches === 1);
    expect(api.watches[0]?.query.get("resourceVersion")).toBe(api.version);
    expect(api.watches[0]?.query.get("allowWatchBookmarks")).toBe("true");
    api.put("web-2", pods("web-b", "web-c"));
    await observed.until(({ pool }) => String(pool) === "web-a,web-b,web-c");
    api.put("web-2", pods("web-c"));
    await observed.until(({ pool }) => String(pool) === "web-a,web-c");
    api.delete("web-2");
    await observed.until(({ pool }) => String(pool) === "web-a");
    api.put("other", pods("other-a"), { service: "other", namespace: "default" });
    api.put("web-3", pods("web-d"));
    await observed.until(({ pool }) => String(pool) === "web-a,web-d");
    expect(api.lists).toHaveLength(1);
    expect(observed.errors).toEqual([]);
  });

  it("ends and begins again, which confirms the pool, from the version of the last bookmark", async () => {
    api.put("web-1", pods("web-a"));
    const observed = observe({ confirmInterval: "1s" });
    await observed.until(() => api.openWatches === 1);
    expect(api.watches[0]?.query.get("timeoutSeconds")).toBe("1");
    api.bookmark();
    const { version } = api;
    const { length } = observed.answers;
    await observed.until(({ answers }) => api.watches.length === 3 && answers.length >= length + 2);
    expect(api.watches[1]?.query.get("resourceVersion")).toBe(version);
    expect(observed.last?.freshForMs).toBe(6_000);
    expect(api.lists).toHaveLength(1);
    expect(observed.errors).toEqual([]);
  });

  it("of a version that has expired, told in an event, is followed by a list", async () => {
    api.put("web-1", pods("web-a"));
    const observed = observe();
    await observed.until(() => api.openWatches === 1);
    api.put("web-1", pods("web-a", "web-b"));
    api.expireWatches();
    await observed.until(() => api.lists.length === 2 && api.openWatches === 1);
    expect(observed.pool).toEqual(["web-a", "web-b"]);
    expect(observed.errors).toEqual([]);
  });

  it("of a version that has expired, told with 410 Gone, is followed by a list that has what was missed", async () => {
    api.put("web-1", pods("web-a"));
    const observed = observe();
    await observed.until(() => api.openWatches === 1);
    api.dropConnections();
    api.put("web-1", pods("web-a", "web-b"));
    api.compact();
    await observed.until(({ pool }) => String(pool) === "web-a,web-b");
    expect(api.lists).toHaveLength(2);
    expect(observed.errors.map(({ code }) => code)).toEqual(["DT_STORE_UNAVAILABLE"]);
  });

  it("that is dropped goes on from where it was, and hears what happened in between", async () => {
    api.put("web-1", pods("web-a"));
    const observed = observe();
    await observed.until(() => api.openWatches === 1);
    const { version } = api;
    api.dropConnections();
    api.put("web-2", pods("web-b"));
    await observed.until(({ pool }) => String(pool) === "web-a,web-b");
    expect(api.watches.at(-1)?.query.get("resourceVersion")).toBe(version);
    expect(api.lists).toHaveLength(1);
    expect(observed.errors).toEqual([
      expect.objectContaining({
        code: "DT_STORE_UNAVAILABLE",
        message: expect.stringMatching(/the connection to .* failed \(ECONNRESET\)/),
      }),
    ]);
  });

  it("of a version from the future, after a restore from a backup, is given up for a list", async () => {
    api.put("web-1", pods("web-a"));
    api.bookmark();
    const observed = observe();
    await observed.until(() => api.openWatches === 1);
    const { port } = api;
    await api.stop();
    api = await KubernetesApi.start(port, certificate);
    api.put("web-1", pods("web-b"));
    await observed.until(({ pool }) => String(pool) === "web-b");
    expect(api.lists).toHaveLength(1);
    expect(observed.errors.at(-1)?.message).toContain("504 (Too large resource version: 102, current: 101)");
  });

  it("that is dropped again and again is begun again with growing pauses, and at last everything is listed", async () => {
    api.put("web-1", pods("web-a"));
    const observed = observe();
    await observed.until(() => api.openWatches === 1);
    api.failing = { status: 503, times: 3 };
    const { length } = api.requests;
    const startMs = performance.now();
    api.dropConnections();
    await observed.until(() => api.requests.length === length + 4);
    // Pauses of at least 100, 200, 400 and 800 ms before the four attempts.
    expect(performance.now() - startMs).toBeGreaterThan(100 + 200 + 400 + 800 - 10);
    expect(observed.errors.map(({ message }) => message)).toEqual([
      expect.stringContaining("failed"),
      ...Array(3).fill(expect.stringContaining("answered 503 (it was told to)")),
    ]);
    expect(api.requests.slice(length).map(({ query }) => query.has("watch"))).toEqual([true, true, false, false]);
  });

  it("that the server ends at once, with nothing in it, is a failure and begun again with growing pauses", async () => {
    api.put("web-1", pods("web-a"));
    api.endingAtOnce = true;
    const observed = observe();
    const startMs = performance.now();
    await observed.until(() => api.watches.length === 4);
    expect(performance.now() - startMs).toBeGreaterThan(100 + 200 + 400 - 10);
    expect(observed.errors[0]).toMatchObject({ message: expect.stringContaining("ended a watch at once") });
    api.endingAtOnce = false;
    await observed.until(() => api.openWatches === 1);
  });

  it("that is silent beyond its end is dropped, since its connection may be dead", async () => {
    api.put("web-1", pods("web-a"));
    const observed = observe({ confirmInterval: "1s", timeout: "300ms" });
    await observed.until(() => api.openWatches === 1);
    api.stopEnding = true;
    await observed.until(({ errors }) => errors.length > 0);
    expect(observed.errors[0]).toMatchObject({ code: "DT_STORE_UNAVAILABLE" });
    api.stopEnding = false;
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
  ])("that says %s is refused, and the pool stays what it was", async (line, message) => {
    api.put("web-1", pods("web-a"));
    const observed = observe();
    await observed.until(() => api.openWatches === 1);
    api.sendLine(line);
    await observed.until(({ errors }) => errors.length > 0);
    expect(observed.errors[0]).toMatchObject({ code: "DT_STORE_REPLY", message: expect.stringMatching(message) });
    expect(observed.pool).toEqual(["web-a"]);
    await observed.until(() => api.openWatches === 1);
  });
});

describe("the service account", () => {
  it("has a token that is replaced: the new one is used for the next request", async () => {
    api.put("web-1", pods("web-a"));
    const observed = observe({ confirmInterval: "1s" });
    await observed.until(() => api.openWatches === 1);
    mount({ token: "second-token" });
    api.tokens.clear();
    api.tokens.add("second-token");
    await observed.until(() => api.openWatches === 1 && api.watches.at(-1)?.token === "second-token");
    expect(observed.errors).toEqual([]);
  });

  it("has a token that has expired: refused with 401 until the file has a new one", async () => {
    api.put("web-1", pods("web-a"));
    const observed = observe();
    await observed.until(() => api.openWatches === 1);
    api.tokens.clear();
    api.tokens.add("second-token");
    api.dropConnections();
    await observed.until(({ errors }) => errors.length >= 3);
    expect(observed.errors[1]).toMatchObject({
      code: "DT_STORE_UNAVAILABLE",
      message: expect.stringMatching(/401 \(Unauthorized\); it does not accept the token/),
    });
    mount({ token: "second-token" });
    api.put("web-2", pods("web-b"));
    await observed.until(({ pool }) => String(pool) === "web-a,web-b");
  });

  it("without the permission is refused with 403 and the Role that it needs", async () => {
    api.allowed = false;
    const observed = observe();
    await observed.until(({ errors }) => errors.length > 0);
    expect(observed.errors[0]).toMatchObject({
      code: "DT_STORE_UNSUITABLE",
      message: expect.stringMatching(
        /403 .*forbidden.*Role in namespace default with apiGroups: \["discovery.k8s.io"\], resources: \["endpointslices"\], verbs: \["list", "watch"\]/,
      ),
    });
    api.allowed = true;
    api.put("web-1", pods("web-a"));
    await observed.until(({ pool }) => String(pool) === "web-a");
  });

  it.each(["token", "ca.crt", "namespace"])("without %s is refused with the remedy", async (name) => {
    rmSync(join(folder, name));
    const observed = observe();
    await observed.until(({ errors }) => errors.length > 0);
    expect(observed.errors[0]).toMatchObject({
      code: "DT_STORE_UNSUITABLE",
      message: expect.stringMatching(/cannot be read \(ENOENT\); give the pod a service account/),
    });
    expect(api.requests).toEqual([]);
  });

  it("does not send its token to a server that its authority does not vouch for", async () => {
    const { ca } = await makeServerCertificate(["127.0.0.1"]);
    mount({ "ca.crt": ca });
    const observed = observe();
    await observed.until(({ errors }) => errors.length > 0);
    expect(observed.errors[0]).toMatchObject({
      code: "DT_STORE_UNSUITABLE",
      message: expect.stringMatching(/certificate of .* is not to be trusted/),
    });
    expect(api.requests).toEqual([]);
  });

  it("does not send its token to a server with a certificate for another address", async () => {
    const wrong = await makeServerCertificate(["10.1.2.3"]);
    const impostor = await KubernetesApi.start(0, wrong);
    try {
      mount({ "ca.crt": wrong.ca });
      const observed = observe({ url: impostor.url });
      await observed.until(({ errors }) => errors.length > 0);
      expect(observed.errors[0]).toMatchObject({
        code: "DT_STORE_UNSUITABLE",
        message: expect.stringMatching(/ERR_TLS_CERT_ALTNAME_INVALID/),
      });
      expect(impostor.requests).toEqual([]);
    } finally {
      await impostor.stop();
    }
  });
});

describe("an API server in trouble", () => {
  it("that never answers is given up at the deadline, and asked again", async () => {
    api.hanging = true;
    const observed = observe({ timeout: "200ms" });
    await observed.until(({ errors }) => errors.length >= 2);
    expect(observed.errors[0]).toMatchObject({
      code: "DT_STORE_TIMEOUT",
      message: expect.stringContaining("kubernetes list at"),
    });
    api.hanging = false;
    await observed.until(({ last }) => last !== undefined);
  });

  it("that is gone and comes back is found again", async () => {
    api.put("web-1", pods("web-a"));
    const { port } = api;
    const observed = observe();
    await observed.until(() => api.openWatches === 1);
    await api.stop();
    await observed.until(({ errors }) => errors.some(({ message }) => message.includes("ECONNREFUSED")));
    api = await KubernetesApi.start(port, certificate);
    api.compact();
    api.put("web-1", pods("web-a", "web-b"));
    await observed.until(({ pool }) => String(pool) === "web-a,web-b");
  });

  it("too old for EndpointSlices, or none at all, is said to be so", async () => {
    api.failing = { status: 404, times: 1 };
    const observed = observe();
    await observed.until(({ errors }) => errors.length > 0);
    expect(observed.errors[0]).toMatchObject({
      code: "DT_STORE_UNSUITABLE",
      message: expect.stringContaining("older than Kubernetes 1.21"),
    });
  });
});

describe("closing", () => {
  it("ends the watch and its connection, and nothing follows", async () => {
    api.put("web-1", pods("web-a"));
    const observed = observe();
    await observed.until(() => api.openWatches === 1);
    observed.close();
    await observed.until(() => api.openWatches === 0);
    const { length } = api.requests;
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(api.requests).toHaveLength(length);
    expect(observed.errors).toEqual([]);
  });
});

describe("options", () => {
  afterEach(() => vi.unstubAllEnvs());

  it.each([
    [undefined, /kubernetesSource options is undefined/],
    [{ service: "Web" }, /service is "Web"; give a name of small letters/],
    [{ service: "web", namespace: "../secrets", url: "https://x" }, /namespace is "..\/secrets"/],
    [{ service: "web", url: "http://10.0.0.1" }, /url is "http:\/\/10.0.0.1"; give https/],
    [
      { service: "web", url: "https://x", confirmInterval: "100ms" },
      /confirmInterval is "100ms"; give at least 1000 ms/,
    ],
    [{ service: "web" }, /KUBERNETES_SERVICE_HOST is undefined; every pod has it/],
  ])("%j are refused with the remedy", (options, message) => {
    vi.stubEnv("KUBERNETES_SERVICE_HOST", undefined);
    expect(() => kubernetesSource(options as KubernetesSourceOptions)).toThrow(message);
  });

  it("take the API server from the environment, as every pod has it", async () => {
    vi.stubEnv("KUBERNETES_SERVICE_HOST", "127.0.0.1");
    vi.stubEnv("KUBERNETES_SERVICE_PORT", String(api.port));
    api.put("web-1", pods("web-a"));
    const observed = new Observed(kubernetesSource({ service: "web", serviceAccount: folder, self: "web-a" }));
    opened.push(observed);
    await observed.until(({ pool }) => String(pool) === "web-a");
  });
});
