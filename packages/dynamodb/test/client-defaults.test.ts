import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { createThrottle } from "@dt/core";
import { timed } from "@dt-tooling/backends";
import { failure } from "@dt-tooling/backends/failure";
import { Member } from "@dt-tooling/simulator/hybrid";
import { describe, expect, it, onTestFinished } from "vitest";
import { type DynamoDbStore, dynamodbStore } from "../src/index.ts";
import { ThrottledTable } from "./support/throttling-server.ts";

/**
 * A client handed in as `new DynamoDBClient()` makes it: with the defaults of November 2026 it sends a request up to
 * four times, and pauses up to a second before it does where it was throttled.
 */
const table = new ThrottledTable();

const MODES = [{}, { retryMode: "standard" }, { retryMode: "adaptive" }, { maxAttempts: 10 }] as const;

describe.each(MODES)("a client handed in with the options %j", (options) => {
  const open = (endpoint: string, timeout: number): DynamoDbStore => {
    const { region, credentials } = table.server;
    const client = new DynamoDBClient({ endpoint, region, credentials, ...options });
    onTestFinished(() => client.destroy());
    return dynamodbStore({ table: "throttle", timeout, client });
  };

  it("is asked again after its table was throttled, and the call succeeds", async () => {
    await using store = open(table.front.url, 2_000);
    const member = new Member(store, `soon ${JSON.stringify(options)}`, "a");
    await member.join();
    table.front.refuse = 3;
    expect(await member.beat()).toMatchObject({ members: 1 });
    expect(table.front.refused).toBe(3);
    await member.leave();
  });

  it("tells that its table stays throttled, well before the deadline", async () => {
    await using store = open(table.front.url, 1_000);
    const member = new Member(store, `long ${JSON.stringify(options)}`, "a");
    await member.join();
    table.front.refuse = Number.POSITIVE_INFINITY;
    const { value: error, ms } = await timed(failure(member.sync()));
    expect(error).toMatchObject({ code: "DT_STORE_UNAVAILABLE" });
    expect(error?.message).toContain("raise its capacity");
    expect(ms).toBeLessThan(1_000);
    table.front.refuse = 0;
    expect(await member.beat()).toMatchObject({ members: 1 });
  });

  it("sends nothing again whose answer was lost", async () => {
    const losing = await losingServer();
    await using store = open(losing.url, 10_000);
    const error = await failure(store.inspect("g"));
    expect(error.code).toBe("DT_STORE_UNAVAILABLE");
    // Each of a call's requests once.
    const { seen } = losing;
    expect(seen.length).toBeGreaterThan(0);
    expect(new Set(seen).size).toBe(seen.length);
  });

  it("fails by the deadline where nobody answers", async () => {
    await using store = open(await silentServer(), 300);
    const { value: error, ms } = await timed(failure(store.inspect("g")));
    expect(error).toMatchObject({ code: "DT_STORE_TIMEOUT" });
    expect(ms).toBeLessThan(1_000);
  });
});

it("credentials that take longer than a call are asked for once, and start() waits for them", async () => {
  const { url: endpoint, region, credentials } = table.server;
  let asked = 0;
  const provider = async (): Promise<typeof credentials> => {
    asked += 1;
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    return credentials;
  };
  await using store = dynamodbStore({ table: "throttle", config: { endpoint, region, credentials: provider } });
  await using throttle = createThrottle({ name: "slow credentials", max: 10, store });
  await throttle.start();
  expect(asked).toBe(1);
});

/** Reads requests and breaks the connection off; remembers their bodies. */
async function losingServer(): Promise<{ url: string; seen: string[] }> {
  const seen: string[] = [];
  const url = await listening(
    createServer(async (request, response) => {
      let body = `${request.headers["x-amz-target"]} `;
      for await (const part of request.setEncoding("utf8")) body += part;
      seen.push(body);
      response.destroy();
    }),
  );
  return { url, seen };
}

function silentServer(): Promise<string> {
  return listening(createServer(() => {}));
}

async function listening(http: Server): Promise<string> {
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
}
