import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { createPacer } from "@dt/core";
import { instantOf } from "@dt/core/ledger";
import { type DynamoDbServer, startDynamoDb } from "@dt-tooling/backends";
import { failure } from "@dt-tooling/backends/failure";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DynamoDbStore, dynamodbStore } from "../src/index.ts";
import { countingClient, minus } from "./support/counting-client.ts";
import { FaultyDriver, storeOn } from "./support/faulty-driver.ts";
import { permitRequest } from "./support/permit-request.ts";
import { makeTable } from "./support/table.ts";

let server: DynamoDbServer;
let driver: FaultyDriver;
const config = () => ({ endpoint: server.url, region: server.region, credentials: server.credentials });
const open = (): DynamoDbStore => dynamodbStore({ table: "throttle", timeout: "10s", config: config() });
beforeAll(async () => {
  server = await startDynamoDb({ control: true });
  await makeTable(server, "throttle");
  driver = new FaultyDriver(config(), "throttle");
});
afterAll(async () => {
  driver?.close();
  await server?.stop();
});

describe("permits in DynamoDB", () => {
  it("are spaced between stores, and an instant given back goes to the next", async () => {
    await using a = open();
    await using b = open();
    const every = { everyMs: 60_000 };
    const requests = [permitRequest(every), permitRequest(every), permitRequest(every)] as const;
    const first = await a.reserve("shared", requests[0]);
    const second = await b.reserve("shared", requests[1]);
    const third = await a.reserve("shared", requests[2]);
    expect(instantOf(second, 0) - instantOf(first, 0)).toBeCloseTo(60_000, 3);
    expect(instantOf(third, 0) - instantOf(second, 0)).toBeCloseTo(60_000, 3);
    await b.release("shared", { id: requests[1].id, keep: 0 });
    expect(instantOf(await a.reserve("shared", permitRequest(every)), 0)).toBe(instantOf(second, 0));
    expect((await b.reserve("another", permitRequest())).reservedAhead).toBe(0);
  });

  it("take one write each where one process uses a key, and a consistent read before it where several do", async () => {
    const [mine, other] = [countingClient(config()), countingClient(config())];
    await using a = dynamodbStore({ table: "throttle", timeout: "10s", client: mine.client });
    await using b = dynamodbStore({ table: "throttle", timeout: "10s", client: other.client });
    const take = (store: DynamoDbStore) => store.reserve("cost", permitRequest({ everyMs: 60_000, keepMs: 0 }));
    await take(a);
    let before = mine.spent();
    for (let i = 0; i < 5; i++) await take(a);
    expect(minus(mine.spent(), before)).toEqual({ PutItemCommand: 5, units: 5 });
    await take(b);
    before = mine.spent();
    await take(a);
    // One that is recorded meanwhile costs a write more.
    const { GetItemCommand: reads, PutItemCommand: writes } = minus(mine.spent(), before);
    expect(reads).toBe(1);
    expect(writes).toBeLessThanOrEqual(2);
    mine.client.destroy();
    other.client.destroy();
  });

  it("expire a day after they mean nothing any more", async () => {
    await using store = open();
    await store.reserve("garbage", permitRequest({ keepMs: 3_600_000 }));
    const item = await driver.get({ pk: "dt#permits#garbage", sk: "permits" });
    const { expires } = { ...item };
    const afterMs = Number(expires) * 1_000 - Date.now();
    expect(afterMs).toBeGreaterThan(25 * 3_600_000 - 60_000);
    expect(afterMs).toBeLessThan(25 * 3_600_000 + 60_000);
  });

  it("that are something else are named in the error, and left as they are", async () => {
    await using store = open();
    const key = { pk: "dt#permits#bad", sk: "permits" };
    for (const broken of [{ text: "hello", writer: "w" }, { text: 7, writer: "w" }, { other: true }]) {
      await driver.put({ ...key, ...broken }, {});
      const { code, message } = await failure(store.reserve("bad", permitRequest()));
      expect(code).toBe("DT_STORE_DATA");
      expect(message).toContain("DynamoDB item dt#permits#bad / permits");
      expect(await driver.get(key)).toEqual({ ...key, ...broken });
    }
  });

  it("are reserved after all when DynamoDB has throttled the request", async () => {
    const client = new DynamoDBClient({ ...config(), maxAttempts: 1 });
    let refusals = 3;
    client.middlewareStack.add(
      (next) => async (args) => {
        if (refusals-- > 0) throw Object.assign(new Error("slow down"), { name: "ThrottlingException" });
        return next(args);
      },
      { step: "build" },
    );
    await using store = dynamodbStore({ table: "throttle", timeout: "10s", client });
    expect((await store.reserve("throttled", permitRequest())).granted).toBe(1);
    expect(refusals).toBeLessThan(0);
    client.destroy();
  });
});

describe("when the answer is lost", () => {
  it("the same request is answered the same permit, and the next one comes after it", async () => {
    const [mine, other] = [storeOn(driver), storeOn(driver)];
    const wanted = permitRequest();
    driver.loseAnswer();
    expect(await failure(mine.reserve("lost", wanted))).toMatchObject({ effect: "unknown" });
    const next = await other.reserve("lost", permitRequest());
    const again = await mine.reserve("lost", wanted);
    expect(again.granted).toBe(1);
    expect(instantOf(next, 0) - instantOf(again, 0)).toBeCloseTo(1_000, 3);
  });

  it("a write that the client sent twice has the effect of one", async () => {
    const mine = storeOn(driver);
    driver.next = async (send) => {
      await send();
      return send();
    };
    const first = await mine.reserve("twice", permitRequest());
    const second = await mine.reserve("twice", permitRequest());
    expect(instantOf(second, 0) - instantOf(first, 0)).toBeCloseTo(1_000, 3);
  });
});

describe("a pacer on DynamoDB", () => {
  it("serves its callers at their distance, and a caller that leaves makes room for the next process", async () => {
    // The server is one process of Node, and may be slow; deadlines are tested in outage.test.ts.
    const patient = { table: "throttle", config: config(), timeout: "10s" } as const;
    await using a = dynamodbStore(patient);
    await using b = dynamodbStore(patient);
    const options = { name: "pacer", every: 150, storeTimeout: "5s" } as const;
    await using mine = createPacer({ ...options, store: a });
    await using other = createPacer({ ...options, store: b, maxReserved: 2 });
    await mine.acquire();
    const controller = new AbortController();
    const leaving = [mine.acquire(1, { signal: controller.signal }), mine.acquire(1, { signal: controller.signal })];
    const waiting = other.acquire();
    await new Promise((resolve) => setTimeout(resolve, 50));
    controller.abort(new Error("gone"));
    for (const call of leaving) await expect(call).rejects.toThrow("gone");
    expect(await waiting).toBeDefined();
  });
});
