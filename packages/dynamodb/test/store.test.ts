import {
  type AttributeValue,
  DeleteItemCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
} from "@aws-sdk/client-dynamodb";
import type { MemberView } from "@dt/core";
import { type DynamoDbServer, startDynamoDb } from "@dt-tooling/backends";
import { failure, thrown } from "@dt-tooling/backends/failure";
import { agree, Member } from "@dt-tooling/simulator/hybrid";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  cloudFormationTemplate,
  createTable,
  type DynamoDbStoreOptions,
  dynamodbStore,
  terraformResource,
} from "../src/index.ts";
import { countingClient, minus } from "./support/counting-client.ts";

describe("options", () => {
  it.each<[option: string, what: string, options: unknown, remedy: string]>([
    ["options", "undefined", undefined, "give an object"],
    ["table", "missing", {}, "3 to 255 letters"],
    ["table", "malformed", { table: "no spaces" }, "3 to 255 letters"],
    ["config", "beside a client", { table: "abc", client: new DynamoDBClient(), config: {} }, "leave it out"],
    ["config", "no object", { table: "abc", config: "eu" }, "region"],
    ["client", "no client", { table: "abc", client: {} }, "DynamoDBClient"],
    ["client", "null", { table: "abc", client: null }, "DynamoDBClient"],
    ["client", "0", { table: "abc", client: 0 }, "DynamoDBClient"],
    ["client", "empty", { table: "abc", client: "" }, "DynamoDBClient"],
    ["prefix", "with #", { table: "abc", prefix: "a#b" }, "leave out #"],
    ["prefix", "too long", { table: "abc", prefix: "x".repeat(513) }, "512 bytes"],
    ["runtime", "none", { table: "abc", runtime: {} }, "now, setTimer and random"],
    ["timeout", "no duration", { table: "abc", timeout: "soon" }, "milliseconds"],
    ["timeout", "too long for a driver", { table: "abc", timeout: "13d" }, "at most 10 days"],
    ["tableName", "unknown", { tableName: "abc" }, "known are table"],
    ["clients", "misspelt", { table: "abc", clients: {} }, "did you mean client?"],
    [
      "credentials",
      "in the wrong place",
      { table: "abc", credentials: { secretAccessKey: "secret" } },
      "known are table",
    ],
  ])("%s, %s: is refused with the option's name and the remedy", (option, _, options, remedy) => {
    const error = thrown(() => dynamodbStore(options as DynamoDbStoreOptions));
    expect(error.code).toBe("DT_INVALID_OPTION");
    expect(error.message).toMatch(new RegExp(`^${option}( is |: there is no such option)`));
    expect(error.message).toContain(remedy);
    expect(error.message).not.toContain("secret");
  });
});

describe("on a table", () => {
  let server: DynamoDbServer;
  let client: DynamoDBClient;
  const config = () => ({ endpoint: server.url, region: server.region, credentials: server.credentials });
  beforeAll(async () => {
    server = await startDynamoDb({ control: true });
    client = new DynamoDBClient(config());
    await Promise.all([createTable(client, "throttle"), createTable(client, "throttle")]);
  });
  afterAll(async () => {
    client?.destroy();
    await server?.stop();
  });

  it("stores with different prefixes do not see each other", async () => {
    await using first = dynamodbStore({ table: "throttle", timeout: "10s", config: config(), prefix: "one" });
    await using second = dynamodbStore({ table: "throttle", timeout: "10s", config: config(), prefix: "two" });
    await new Member(first, "g", "a").join();
    expect((await new Member(second, "g", "b").join()).members).toBe(1);
  });

  it("a client handed in is used, and goes on working when the store is closed", async () => {
    const store = dynamodbStore({ table: "throttle", timeout: "10s", client });
    await new Member(store, "handed-in", "a").join();
    await store.close();
    const Key = { pk: { S: "dt#group#handed-in" }, sk: { S: "head" } };
    expect((await client.send(new GetItemCommand({ TableName: "throttle", Key }))).Item).toMatchObject({
      agreed: { BOOL: true },
    });
  });

  it("a sync in steady state is one small write and one small read, at the same time, and reads no list of members", async () => {
    const { client: counted, spent } = countingClient(config());
    await using store = dynamodbStore({ table: "throttle", timeout: "10s", client: counted });
    await using keeper = dynamodbStore({ table: "throttle", timeout: "10s", config: config() });
    const first = new Member(keeper, "steady", "keeper", { staleAfterMs: 600_000 });
    await first.join();
    const members = Array.from(
      { length: 10 },
      (_, i) => new Member(store, "steady", `m${i}`, { staleAfterMs: 600_000 }),
    );
    for (const member of members) await member.join();
    await agree(first, ...members);
    for (const member of members) await member.beat();
    await first.beat();
    const before = spent();
    for (const [used, member] of members.entries()) {
      // The keeper's time is new, however long the beats before took: nobody else has to write it.
      await first.beat();
      await member.beat({ activity: { used, waiting: 1_000_000 } });
    }
    expect(minus(spent(), before)).toEqual({ PutItemCommand: 10, GetItemCommand: 10, units: 20 });
    // What each does came with it.
    const shown = (await store.inspect("steady")).members.slice(1);
    expect(shown.map(({ used, waiting }) => [used, waiting])).toEqual(members.map((_, used) => [used, 1_000_000]));
    counted.destroy();
  });

  it("what a member does is what its last heartbeat said: nothing where that said nothing, or cannot be", async () => {
    await using store = dynamodbStore({ table: "throttle", timeout: "10s", config: config() });
    const member = new Member(store, "doing", "a");
    await member.join();
    const shown = async (): Promise<unknown> => {
      const { members } = await store.inspect("doing");
      return members.map(({ used, waiting }) => [used, waiting]);
    };
    expect(await shown()).toEqual([[undefined, undefined]]);
    await member.beat({ activity: { used: 7, waiting: 3 } });
    expect(await shown()).toEqual([[7, 3]]);
    const late = { ...member.report({ activity: { used: 1, waiting: 1 } }), seq: member.seq - 1 };
    await store.sync("doing", member.ref, late);
    expect(await shown()).toEqual([[7, 3]]);
    const Key = { pk: { S: "dt#beats#doing" }, sk: { S: member.ref.incarnation } };
    const { Item = {} } = await client.send(new GetItemCommand({ TableName: "throttle", Key }));
    const { used, waiting, ...silent } = Item;
    expect([used, waiting]).toEqual([{ N: "7" }, { N: "3" }]);
    const hostile = [
      { ...Item, used: { S: "7" } },
      { ...Item, used: { N: "-1" } },
      { ...Item, waiting: { N: "0.5" } },
    ];
    for (const item of [silent, ...hostile]) {
      await client.send(new PutItemCommand({ TableName: "throttle", Item: item }));
      expect(await shown()).toEqual([[undefined, undefined]]);
    }
    await member.beat({ activity: { used: 0, waiting: 0 } });
    expect(await shown()).toEqual([[0, 0]]);
    await member.register({ rejoin: true });
    expect(await shown()).toEqual([[undefined, undefined]]);
  });

  it("a sync is no more where another client has kept the time since the last one", async () => {
    const { client: counted, spent } = countingClient(config());
    await using store = dynamodbStore({ table: "throttle", timeout: "10s", client: counted });
    await using keeper = dynamodbStore({ table: "throttle", timeout: "10s", config: config() });
    // The time may be 1.25 s behind; the members sync every 1.5 s, and the keeper often.
    const [first, member] = [keeper, store].map((one, i) => new Member(one, "kept", `m${i}`, { staleAfterMs: 60_000 }));
    if (!first || !member) throw new Error("two members");
    await first.join();
    await member.join();
    await agree(first, member);
    await member.beat();
    for (let passedMs = 0; passedMs < 1_500; passedMs += 250) {
      await first.beat();
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
    await first.beat();
    const before = spent();
    await member.beat();
    expect(minus(spent(), before)).toEqual({ PutItemCommand: 1, GetItemCommand: 1, units: 2 });
    counted.destroy();
  });

  it("an item that holds something else is named by inspect and repaired by the next call, and the group learns", async () => {
    await using store = dynamodbStore({ table: "throttle", timeout: "10s", config: config() });
    const pk = "dt#group#broken";
    for (const item of [
      { version: { N: "1" }, writer: { S: "x" }, text: { S: "hello" }, v: { S: "f1" } },
      { version: { S: "one" }, v: { S: "f1" } },
      { something: { S: "else" } },
    ]) {
      const Item = { pk: { S: pk }, sk: { S: "ledger" }, ...item };
      await client.send(new PutItemCommand({ TableName: "throttle", Item: Item as Record<string, AttributeValue> }));
      const error = await failure(store.inspect("broken"));
      expect(error.code).toBe("DT_STORE_DATA");
      expect(error.message).toContain(`DynamoDB item ${pk} / ledger`);
      expect(error.message).toContain("dt repair");
      const view = await new Member(store, "broken", "a").register();
      expect(view).toMatchObject({ status: "disagree", learning: true, held: 0 });
      expect(await store.inspect("broken")).toMatchObject({ memberCount: 1, learning: true });
    }
  });

  it.each([
    ["of a newer version", { v: { S: "f2" }, more: { S: "fields" } }, "newer version"],
    ["from before format 1", { v: { N: "1" } }, "before the first release"],
  ])(
    "items %s are refused, and left as they are, by every call and by repair; a reset forgets them",
    async (_, change, says) => {
      await using store = dynamodbStore({ table: "throttle", timeout: "10s", config: config() });
      const group = says;
      await new Member(store, group, "a").join();
      const before = (await store.inspect(group)).generation;
      const keyOf = (sk: string) => ({ pk: { S: `dt#group#${group}` }, sk: { S: sk } });
      const read = async (sk: string) =>
        (await client.send(new GetItemCommand({ TableName: "throttle", Key: keyOf(sk), ConsistentRead: true }))).Item ??
        {};
      for (const sk of ["ledger", "head"]) {
        const good = await read(sk);
        const Item = { ...good, ...change };
        await client.send(new PutItemCommand({ TableName: "throttle", Item }));
        const newcomer = new Member(store, group, "b");
        for (const call of [() => newcomer.register(), () => store.inspect(group), () => store.repair(group)]) {
          const error = await failure(call());
          expect(error.code, sk).toBe("DT_STORE_DATA");
          expect(error.message).toContain(says);
          expect(error.message).toContain("--reset");
        }
        expect(await read(sk)).toEqual(Item);
        if (sk === "ledger") await client.send(new PutItemCommand({ TableName: "throttle", Item: good }));
      }
      expect(await store.repair(group, { reset: true })).toMatchObject({ members: 0, reset: true });
      expect((await store.inspect(group)).generation).toBeGreaterThan(before);
    },
  );

  it("repair says what it found, and reset forgets the members, who come back", async () => {
    await using store = dynamodbStore({ table: "throttle", timeout: "10s", config: config() });
    const member = new Member(store, "mend", "a");
    const before = await member.join();
    expect(await store.repair("mend")).toEqual({ found: [], members: 1, reset: false });
    expect(await store.repair("mend", { reset: true })).toEqual({ found: [], members: 0, reset: true });
    expect((await member.sync()).status).toBe("unknown");
    const after = await new Member(store, "mend", "a").register({ rejoin: true, claim: 100 });
    expect(after).toMatchObject({ status: "disagree", learning: true, held: 100 });
    expect((after as MemberView).generation).toBeGreaterThan(before.generation);
    const Key = { pk: { S: "dt#group#mend" }, sk: { S: "ledger" } };
    await client.send(new DeleteItemCommand({ TableName: "throttle", Key }));
    const { found, members, reset } = await store.repair("mend");
    expect({ members, reset }).toEqual({ members: 0, reset: true });
    expect(found).toEqual(["DynamoDB item dt#group#mend / ledger is missing, and something of its group is there"]);
  });

  it("a table that is missing, or has other keys, is an error with the remedy", async () => {
    await using store = dynamodbStore({ table: "nowhere", timeout: "10s", config: config() });
    const missing = await failure(store.inspect("g"));
    expect(missing).toMatchObject({ code: "DT_STORE_UNSUITABLE", effect: "definite" });
    expect(missing.message).toContain("createTable()");
  });

  it("an empty group and heartbeats are garbage one day; a group with members never is", async () => {
    await using store = dynamodbStore({ table: "throttle", timeout: "10s", config: config() });
    const item = async (pk: string, sk: string) =>
      (
        await client.send(
          new GetItemCommand({ TableName: "throttle", Key: { pk: { S: pk }, sk: { S: sk } }, ConsistentRead: true }),
        )
      ).Item;
    const expiry = async (pk: string, sk: string): Promise<string | undefined> => {
      const { expires } = (await item(pk, sk)) ?? {};
      return expires?.N;
    };
    const member = new Member(store, "garbage", "a");
    await member.join();
    const nowS = Date.now() / 1_000;
    expect(Number(await expiry("dt#beats#garbage", "a-boot"))).toBeGreaterThan(nowS + 80_000);
    expect(await expiry("dt#group#garbage", "ledger")).toBeUndefined();
    await member.leave();
    expect(Number(await expiry("dt#group#garbage", "ledger"))).toBeGreaterThan(nowS + 600_000);
    expect(await item("dt#beats#garbage", "a-boot")).toBeUndefined();
    await member.join();
    expect(await expiry("dt#group#garbage", "ledger")).toBeUndefined();
    expect(await expiry("dt#group#garbage", "head")).toBeUndefined();
  });

  it("what is left of an empty group is garbage also when its head is written anew, when it is reset, and after stale ages longer than a week", async () => {
    const open = () => dynamodbStore({ table: "throttle", timeout: "10s", config: config() });
    await using store = open();
    await using other = open();
    const partOf = async (group: string, sk: string) => {
      const Key = { pk: { S: `dt#group#${group}` }, sk: { S: sk } };
      const { Item } = await client.send(new GetItemCommand({ TableName: "throttle", Key, ConsistentRead: true }));
      const { expires, timeMs } = Item ?? {};
      return { daysLeft: (Number(expires?.N) - Date.now() / 1_000) / 86_400, timeMs: Number(timeMs?.N) };
    };
    const member = new Member(store, "left", "a", { staleAfterMs: 4_000 });
    await member.join();
    await other.deregister("left", member.ref, { seq: 9, level: null });
    const { timeMs: before } = await partOf("left", "head");
    // It does not know yet that it was removed, and keeps the time.
    const asks = async (): Promise<boolean> => {
      expect((await member.sync()).status).toBe("unknown");
      return (await partOf("left", "head")).timeMs > before;
    };
    await expect.poll(asks).toBe(true);
    for (const part of ["head", "ledger"]) expect((await partOf("left", part)).daysLeft, part).toBeGreaterThan(6.9);

    await store.repair("left", { reset: true });
    for (const part of ["head", "ledger"]) expect((await partOf("left", part)).daysLeft, part).toBeGreaterThan(6.9);

    const patient = new Member(store, "patient", "a", { staleAfterMs: 30 * 86_400_000, intervalMs: 20 * 86_400_000 });
    await patient.join();
    await patient.leave();
    for (const part of ["head", "ledger"]) expect((await partOf("patient", part)).daysLeft, part).toBeGreaterThan(36.9);
  });

  it("the templates name the keys that createTable makes", () => {
    for (const text of [cloudFormationTemplate("limits"), terraformResource("limits")])
      for (const part of ["limits", "pk", "sk", "expires", "PAY_PER_REQUEST"]) expect(text).toContain(part);
    expect(thrown(() => terraformResource('x" }')).code).toBe("DT_INVALID_OPTION");
  });
});
