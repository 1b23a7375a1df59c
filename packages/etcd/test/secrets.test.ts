import { createThrottle } from "@dt/core";
import { type EtcdServer, startEtcd } from "@dt-tooling/backends";
import { expectNoSecret } from "@dt-tooling/backends/expect-no-secret";
import { failure, thrown } from "@dt-tooling/backends/failure";
import { Member } from "@dt-tooling/simulator/hybrid";
import { Etcd3 } from "etcd3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type EtcdStoreOptions, etcdStore } from "../src/index.ts";

/** What a user may print or send on when etcd refuses: no password is in it, and no key. */

const SECRET = "p&ssw0rd-that-is-wrong";
const KEY = "a-key-that-nobody-may-see";

/** Everything that a store and a throttle on it tell of a failure. */
async function told(options: EtcdStoreOptions): Promise<unknown[]> {
  await using store = etcdStore({ timeout: "2s", ...options });
  const heard: unknown[] = [];
  const errors = [
    await failure(new Member(store, "g", "a").register()),
    await failure(store.inspect("g")),
    await failure(store.repair("g")),
    await failure(store.onHint("g", () => {})),
    await failure(store.reserve("k", { ...REQUEST })),
  ];
  const throttle = createThrottle({ name: "g", max: 10, store });
  throttle.on("storeError", (event) => heard.push(event));
  errors.push(await failure(throttle.start({ timeout: 0 })));
  heard.push(throttle.status());
  await throttle.stop();
  for (const error of errors) expect(error.code).toMatch(/^DT_STORE_/);
  return [...errors, ...heard, { store }];
}

const REQUEST = { id: "r", count: 1, cost: 1, everyMs: 1_000, burst: 1, maxReserved: 1, keepMs: 10_000, queueMs: 0 };

describe("no password shows", () => {
  let server: EtcdServer;
  beforeAll(async () => {
    server = await startEtcd({ password: "right", tls: true });
  });
  afterAll(() => server?.stop());
  const auth = { username: "root", password: SECRET };
  const tls = () => ({ ca: server.ca as string });

  it.each<[what: string, options: () => EtcdStoreOptions]>([
    ["it is wrong", () => ({ endpoints: server.endpoints, tls: tls(), auth })],
    ["nobody is there", () => ({ endpoints: "https://127.0.0.1:1", tls: tls(), auth })],
    ["the certificate is not trusted", () => ({ endpoints: server.endpoints, auth })],
    [
      "etcd speaks TLS and the store does not",
      () => ({ endpoints: server.endpoints.map((url) => url.replace("https", "http")), auth }),
    ],
  ])("when %s", async (_, options) => {
    for (const shown of await told(options())) expectNoSecret(shown, SECRET, KEY);
  });

  it("when a certificate and a key cannot be read", () => {
    const pem = (what: string): string => `-----BEGIN ${what}-----\n${KEY}\n-----END ${what}-----`;
    const broken = { ...tls(), cert: pem("CERTIFICATE"), key: pem("PRIVATE KEY") };
    const error = thrown(() => etcdStore({ endpoints: server.endpoints, auth, tls: broken }));
    expect(error.code).toBe("DT_INVALID_OPTION");
    expect(error.message).toMatch(
      /^tls is PEM text that OpenSSL cannot read; give other certificates, or another key: /,
    );
    expectNoSecret(error, SECRET, KEY);
  });

  it("when it is wrong in a client that was handed in", async () => {
    const client = new Etcd3({
      hosts: [...server.endpoints],
      credentials: { rootCertificate: Buffer.from(tls().ca) },
      auth,
    });
    for (const shown of await told({ client })) expectNoSecret(shown, SECRET);
    client.close();
  });
});
