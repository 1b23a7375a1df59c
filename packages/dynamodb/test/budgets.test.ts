import { type DynamoDbServer, startDynamoDb } from "@dt-tooling/backends";
import { failure } from "@dt-tooling/backends/failure";
import { spendRequest } from "@dt-tooling/simulator/requests";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DynamoDbStore, dynamodbStore } from "../src/index.ts";
import { countingClient, minus } from "./support/counting-client.ts";
import { FaultyDriver, storeOn } from "./support/faulty-driver.ts";
import { makeTable } from "./support/table.ts";

let server: DynamoDbServer;
let driver: FaultyDriver;
const config = () => ({ endpoint: server.url, region: server.region, credentials: server.credentials });
const open = (prefix = "dt"): DynamoDbStore =>
  dynamodbStore({ table: "throttle", timeout: "10s", prefix, config: config() });
beforeAll(async () => {
  server = await startDynamoDb({ control: true });
  await makeTable(server, "throttle");
  driver = new FaultyDriver(config(), "throttle");
});
afterAll(async () => {
  driver?.close();
  await server?.stop();
});

/** A request without a reservation. */
const settling = (id: string, costs: readonly number[]) => {
  const { reserve: _, ...request } = spendRequest();
  return { ...request, settle: [{ id, costs, measured: true }] };
};

describe("a budget in DynamoDB", () => {
  it("is one for all stores, and a settlement of one gives back to the others", async () => {
    await using a = open();
    await using b = open();
    const first = spendRequest({ costs: [1, 700.25] });
    expect(await a.spend("shared", first)).toMatchObject({ granted: true, rests: [9, 299.75] });
    const second = spendRequest({ costs: [1, 500] });
    expect(await b.spend("shared", second)).toMatchObject({ granted: false, limitedBy: 1, rests: [9, 299.75] });
    expect(await b.spend("shared", settling(first.reserve.id, [1, 100]))).toMatchObject({ rests: [9, 900] });
    expect(await a.spend("shared", second)).toMatchObject({ granted: true, rests: [8, 400] });
    expect(await b.spend("another", spendRequest())).toMatchObject({ rests: [9, 900] });
  });

  it("takes one write each where one process uses it, and a consistent read before it where several do", async () => {
    const [mine, other] = [countingClient(config()), countingClient(config())];
    await using a = dynamodbStore({ table: "throttle", timeout: "10s", client: mine.client });
    await using b = dynamodbStore({ table: "throttle", timeout: "10s", client: other.client });
    const spend = (store: DynamoDbStore) => store.spend("cost", spendRequest({ costs: [0, 1] }));
    await spend(a);
    let before = mine.spent();
    for (let i = 0; i < 4; i++) await spend(a);
    expect(minus(mine.spent(), before)).toEqual({ PutItemCommand: 4, units: 4 });
    await spend(b);
    before = mine.spent();
    await spend(a);
    // One that is recorded meanwhile costs a write more.
    const { GetItemCommand: reads, PutItemCommand: writes } = minus(mine.spent(), before);
    expect(reads).toBe(1);
    expect(writes).toBeLessThanOrEqual(2);
    mine.client.destroy();
    other.client.destroy();
  });

  it("expires a day after it means nothing any more", async () => {
    await using store = open();
    await store.spend("garbage", spendRequest({ keepMs: 3_600_000 }));
    const { expires } = { ...(await driver.get({ pk: "dt#budget#garbage", sk: "budget" })) };
    const afterMs = Number(expires) * 1_000 - Date.now();
    expect(afterMs).toBeGreaterThan(25 * 3_600_000);
    expect(afterMs).toBeLessThan(25 * 3_600_000 + 120_000);
  });

  it("is listed by its name, and is no budget of another prefix", async () => {
    await using a = open("p");
    await using b = open("p2");
    for (const name of ["#budget#b", "ü \n"]) await a.spend(name, spendRequest());
    await b.spend("of the other", spendRequest());
    expect(((await a.listBudgets()).budgets as string[]).sort()).toEqual(["#budget#b", "ü \n"]);
    expect([await a.listPermits(), await a.list()]).toEqual([{ keys: [] }, { groups: [] }]);
    expect(await b.listBudgets()).toEqual({ budgets: ["of the other"] });
  });

  it("that is something else is named in the error, left as it is, and made good by a reset", async () => {
    await using store = open();
    const key = { pk: "dt#budget#bad", sk: "budget" };
    for (const broken of [{ text: "hello", writer: "w" }, { text: 7, writer: "w" }, { other: true }]) {
      await driver.put({ ...key, ...broken }, {});
      const { code, message } = await failure(store.spend("bad", spendRequest()));
      expect(code).toBe("DT_STORE_DATA");
      expect(message).toContain("DynamoDB item dt#budget#bad / budget");
      expect(await driver.get(key)).toEqual({ ...key, ...broken });
      await store.resetBudget("bad");
      expect(await store.inspectBudget("bad")).toBeUndefined();
      expect(await store.spend("bad", spendRequest())).toMatchObject({ rests: [9, 900] });
    }
  });
});

describe("when the answer is lost", () => {
  it("the same request is answered the same lease, and spends once", async () => {
    const [mine, other] = [storeOn(driver), storeOn(driver)];
    const wanted = spendRequest({ costs: [1, 300] });
    driver.loseAnswer();
    expect(await failure(mine.spend("lost", wanted))).toMatchObject({ effect: "unknown" });
    expect(await other.spend("lost", spendRequest())).toMatchObject({ rests: [8, 600] });
    expect(await mine.spend("lost", wanted)).toMatchObject({ granted: true, rests: [8, 600] });
  });

  it("a write that the client sent twice has the effect of one", async () => {
    const mine = storeOn(driver);
    driver.next = async (send) => {
      await send();
      return send();
    };
    await mine.spend("twice", spendRequest());
    expect(await mine.spend("twice", spendRequest())).toMatchObject({ rests: [8, 800] });
  });
});

it("an inspection is one consistent read, and writes nothing", async () => {
  await using store = open();
  await store.spend("inspected", spendRequest({}, { terms: "10 a minute" }));
  const { client, spent } = countingClient(config());
  await using reader = dynamodbStore({ table: "throttle", timeout: "10s", client });
  const limits = [
    { name: "calls", spent: 1 },
    { name: "tokens", spent: 100 },
  ];
  expect(await reader.inspectBudget("inspected")).toMatchObject({ terms: "10 a minute", open: 1, limits });
  expect(await reader.inspectBudget("no budget")).toBeUndefined();
  const { units: _, ...requests } = spent();
  expect(requests).toEqual({ GetItemCommand: 2 });
  client.destroy();
});
