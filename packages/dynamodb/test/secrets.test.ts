import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createThrottle } from "@dt/core";
import { expectNoSecret } from "@dt-tooling/backends/expect-no-secret";
import { failure } from "@dt-tooling/backends/failure";
import { Member } from "@dt-tooling/simulator/hybrid";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createClient } from "../src/dynamodb-driver.ts";
import { createTable, type DynamoDbClientConfig, dynamodbStore } from "../src/index.ts";
import { permitRequest } from "./support/permit-request.ts";

/** What a user may print or send on when DynamoDB refuses: no key of AWS is in it, and no signature made with one. */

const SECRETS = ["THE/SECRET+ACCESS-KEY", "THE-SESSION-TOKEN", "Signature="];
const credentials = {
  accessKeyId: "AKIDEXAMPLE",
  secretAccessKey: SECRETS[0] as string,
  sessionToken: SECRETS[1] as string,
};

/** Everything that a store and a throttle on it tell of a failure. */
async function told(config: DynamoDbClientConfig): Promise<unknown[]> {
  await using store = dynamodbStore({ table: "throttle", timeout: "2s", config });
  const heard: unknown[] = [];
  const client = createClient(config);
  const errors = [
    await failure(new Member(store, "g", "a").register()),
    await failure(store.inspect("g")),
    await failure(store.repair("g")),
    await failure(store.reserve("k", permitRequest())),
    await failure(createTable(client, "throttle", { timeout: "2s" })),
  ];
  client.destroy();
  const throttle = createThrottle({ name: "g", max: 10, store });
  throttle.on("storeError", (event) => heard.push(event));
  errors.push(await failure(throttle.start({ timeout: 0 })));
  heard.push(throttle.status());
  await throttle.stop();
  for (const error of errors) expect(error.code).toMatch(/^DT_STORE_/);
  return [...errors, ...heard, { store }];
}

describe("no key of AWS shows", () => {
  let server: Server;
  let answer = { status: 400, body: "" };
  beforeAll(async () => {
    server = createServer((request, response) => {
      request.resume().on("end", () => {
        response.writeHead(answer.status, { "Content-Type": "application/x-amz-json-1.0" }).end(answer.body);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  });
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const config = (port = (server.address() as AddressInfo).port): DynamoDbClientConfig => ({
    endpoint: `http://127.0.0.1:${port}`,
    region: "eu-central-1",
    credentials,
  });
  const refusal = (name: string): string =>
    JSON.stringify({ __type: `com.amazon.coral.service#${name}`, message: "The security token is invalid." });

  it.each([
    "UnrecognizedClientException",
    "InvalidSignatureException",
    "AccessDeniedException",
    "ExpiredTokenException",
  ])("when DynamoDB answers %s", async (name) => {
    answer = { status: 400, body: refusal(name) };
    for (const shown of await told(config())) expectNoSecret(shown, ...SECRETS);
  });

  it("when it answers with something else", async () => {
    answer = { status: 500, body: "<html>" };
    for (const shown of await told(config())) expectNoSecret(shown, ...SECRETS);
  });

  it("when nobody is there", async () => {
    for (const shown of await told(config(1))) expectNoSecret(shown, ...SECRETS);
  });

  it("when the credentials cannot be had", async () => {
    const refused = async (): Promise<never> => {
      throw Object.assign(new Error("no credentials"), { name: "CredentialsProviderError", ...credentials });
    };
    for (const shown of await told({ ...config(), credentials: refused })) expectNoSecret(shown, ...SECRETS);
  });
});
