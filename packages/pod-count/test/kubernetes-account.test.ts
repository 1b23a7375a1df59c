import { rmSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import { type KubernetesSourceOptions, kubernetesSource } from "@dt/pod-count";
import { afterEach, describe, expect, it, vi } from "vitest";
import { makeServerCertificate } from "./support/certificates.ts";
import { KubernetesApi } from "./support/kubernetes-api.ts";
import { KubernetesFixture, pods } from "./support/kubernetes-fixture.ts";

const k = new KubernetesFixture();

describe("the service account", () => {
  it("has a token that is replaced: the new one is used for the next request", async () => {
    k.api.put("web-1", pods("web-a"));
    const observed = k.observe({ confirmInterval: "1s" });
    await observed.until(() => k.api.openWatches === 1);
    k.mount({ token: "second-token" });
    k.api.tokens.clear();
    k.api.tokens.add("second-token");
    await observed.until(() => k.api.openWatches === 1 && k.api.watches.at(-1)?.token === "second-token");
    expect(observed.errors).toEqual([]);
  });

  it("has a token that has expired: refused with 401 until the file has a new one", async () => {
    k.api.put("web-1", pods("web-a"));
    const observed = k.observe();
    await observed.until(() => k.api.openWatches === 1);
    k.api.tokens.clear();
    k.api.tokens.add("second-token");
    k.api.dropConnections();
    await observed.until(({ errors }) => errors.length >= 3);
    expect(observed.errors[1]).toMatchObject({
      code: "DT_STORE_UNAVAILABLE",
      message: expect.stringMatching(/401 \(Unauthorized\); it does not accept the token/),
    });
    k.mount({ token: "second-token" });
    k.api.put("web-2", pods("web-b"));
    await observed.until(({ members }) => String(members) === "web-a,web-b");
  });

  it("without the permission is refused with 403 and the Role that it needs", async () => {
    k.api.allowed = false;
    const observed = k.observe();
    await observed.until(({ errors }) => errors.length > 0);
    expect(observed.errors[0]).toMatchObject({
      code: "DT_STORE_UNSUITABLE",
      message: expect.stringMatching(
        /403 .*forbidden.*Role in namespace default with apiGroups: \["discovery.k8s.io"\], resources: \["endpointslices"\], verbs: \["list", "watch"\]/,
      ),
    });
    k.api.allowed = true;
    k.api.put("web-1", pods("web-a"));
    await observed.until(({ members }) => String(members) === "web-a");
  });

  it.each(["token", "ca.crt", "namespace"])("without %s is refused with the remedy", async (name) => {
    rmSync(join(k.folder, name));
    const observed = k.observe();
    await observed.until(({ errors }) => errors.length > 0);
    expect(observed.errors[0]).toMatchObject({
      code: "DT_STORE_UNSUITABLE",
      message: expect.stringMatching(/cannot be read \(ENOENT\); give the pod a service account/),
    });
    expect(k.api.requests).toEqual([]);
  });

  it("does not send its token to a server that its authority does not vouch for", async () => {
    const { ca } = await makeServerCertificate(["127.0.0.1"]);
    k.mount({ "ca.crt": ca });
    const observed = k.observe();
    await observed.until(({ errors }) => errors.length > 0);
    expect(observed.errors[0]).toMatchObject({
      code: "DT_STORE_UNSUITABLE",
      message: expect.stringMatching(/certificate of .* is not to be trusted/),
    });
    expect(k.api.requests).toEqual([]);
  });

  it("does not send its token to a server with a certificate for another address", async () => {
    const wrong = await makeServerCertificate(["10.1.2.3"]);
    const impostor = await KubernetesApi.start(0, wrong);
    try {
      k.mount({ "ca.crt": wrong.ca });
      const observed = k.observe({ url: impostor.url });
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
    k.api.hanging = true;
    const observed = k.observe({ timeout: "200ms" });
    await observed.until(({ errors }) => errors.length >= 2);
    expect(observed.errors[0]).toMatchObject({
      code: "DT_STORE_TIMEOUT",
      message: expect.stringContaining("kubernetes list at"),
    });
    k.api.hanging = false;
    await observed.until(({ last }) => last !== undefined);
  });

  it("that is gone and comes back is found again", async () => {
    k.api.put("web-1", pods("web-a"));
    const observed = k.observe();
    await observed.until(() => k.api.openWatches === 1);
    await k.api.stop();
    await observed.until(({ errors }) => errors.some(({ message }) => message.includes("ECONNREFUSED")));
    await k.startAgain();
    k.api.compact();
    k.api.put("web-1", pods("web-a", "web-b"));
    await observed.until(({ members }) => String(members) === "web-a,web-b");
  });

  it("too old for EndpointSlices, or none at all, is said to be so", async () => {
    k.api.failing = { status: 404, times: 1 };
    const observed = k.observe();
    await observed.until(({ errors }) => errors.length > 0);
    expect(observed.errors[0]).toMatchObject({
      code: "DT_STORE_UNSUITABLE",
      message: expect.stringContaining("older than Kubernetes 1.21"),
    });
  });
});

describe("closing", () => {
  it("ends the watch and its connection, and nothing follows", async () => {
    k.api.put("web-1", pods("web-a"));
    const observed = k.observe();
    await observed.until(() => k.api.openWatches === 1);
    observed.close();
    await observed.until(() => k.api.openWatches === 0);
    const { length } = k.api.requests;
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(k.api.requests).toHaveLength(length);
    expect(observed.errors).toEqual([]);
  });
});

describe("options", () => {
  afterEach(() => vi.unstubAllEnvs());

  it.each([
    [undefined, /kubernetesSource options is undefined/],
    [{ service: "Web" }, /service is "Web"; give a name of small letters/],
    [{ service: "web", namespace: "../secrets", url: "https://x" }, /namespace is "..\/secrets"/],
    [{ service: "web", url: "http://10.0.0.1" }, /url is of http:\/\/10.0.0.1; give https/],
    [{ service: "web", url: "https://10.0.0.1/proxy" }, /url is of https:\/\/10.0.0.1 with more than host and port/],
    [{ service: "web", url: 7 }, /url is number, not a text; give https/],
    [
      { service: "web", namespcae: "x", url: "https://x" },
      /namespcae: there is no such option; did you mean namespace\?/,
    ],
    [
      { service: "web", url: "https://x", confirmInterval: "100ms" },
      /confirmInterval is "100ms"; give at least 1000 ms/,
    ],
    [{ service: "web" }, /KUBERNETES_SERVICE_HOST is undefined; every pod has it/],
  ])("%j are refused with the remedy", (options, message) => {
    vi.stubEnv("KUBERNETES_SERVICE_HOST", undefined);
    expect(() => kubernetesSource(options as KubernetesSourceOptions)).toThrow(message);
  });

  it.each([
    "http://admin:s3cret@10.0.0.1",
    "https://admin:s3cret@10.0.0.1",
    "https://10.0.0.1/?token=s3cret",
    "https://s3cret@10.0.0.1:99999",
    "https://10.0.0.1/#s3cret",
  ])("do not say what is secret in a url", (url) => {
    let error: unknown;
    try {
      kubernetesSource({ service: "web", url });
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toMatchObject({ code: "DT_INVALID_OPTION", message: expect.stringContaining("give https://") });
    expect(inspect(error, { depth: 12 })).not.toContain("s3cret");
    expect(JSON.stringify(error)).not.toContain("s3cret");
  });

  it("take the API server from the environment, as every pod has it", async () => {
    vi.stubEnv("KUBERNETES_SERVICE_HOST", "127.0.0.1");
    vi.stubEnv("KUBERNETES_SERVICE_PORT", String(k.api.port));
    k.api.put("web-1", pods("web-a"));
    const observed = k.observe({ url: undefined as unknown as string });
    await observed.until(({ members }) => String(members) === "web-a");
  });
});
