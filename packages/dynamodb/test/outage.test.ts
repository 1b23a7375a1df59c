import { type DynamoDbServer, startDynamoDb, timed } from "@dt-tooling/backends";
import { failure } from "@dt-tooling/backends/failure";
import { agree, Member } from "@dt-tooling/simulator/hybrid";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DynamoDbStore, dynamodbStore } from "../src/index.ts";
import { permitRequest } from "./support/permit-request.ts";
import { makeTable } from "./support/table.ts";

/** About a second, and room for a busy machine. */
const SETTLED_MS = 2_500;

let server: DynamoDbServer;
const config = () => ({ endpoint: server.url, region: server.region, credentials: server.credentials });
const open = (): DynamoDbStore => dynamodbStore({ table: "throttle", config: config() });
beforeAll(async () => {
  server = await startDynamoDb({ control: true });
  await makeTable(server, "throttle");
});
afterAll(() => server?.stop());

describe.each<[state: string, begin: () => Promise<void>, end: () => Promise<void>]>([
  ["stopped", () => server.pause(), () => server.resume()],
  ["killed", () => server.kill(), () => server.restart({ keepData: true })],
])("while the server is %s", (state, begin, end) => {
  it("every call settles in about a second, and afterwards the members are where they were", {
    timeout: 60_000,
  }, async () => {
    await using store = open();
    const [a, b] = [new Member(store, state, "a"), new Member(store, state, "b")];
    await a.join();
    await b.join();
    await agree(a, b);
    await begin();
    try {
      const calls = [a.sync(), new Member(store, state, "c").register(), new Member(store, state, "d").leave()];
      const permits = [store.reserve(state, permitRequest()), store.release(state, { id: "r", keep: 0 })];
      const all = [...calls, ...permits, store.inspect(state)].map((call) => timed(failure(call)));
      for (const { value, ms } of await Promise.all(all)) {
        expect(value?.code).toMatch(/^DT_STORE_(TIMEOUT|UNAVAILABLE)$/);
        expect(ms).toBeLessThan(SETTLED_MS);
      }
      const controller = new AbortController();
      const given = failure(store.inspect(state, controller.signal));
      controller.abort();
      const { value, ms } = await timed(given);
      expect(value?.code).toBe("DT_ABORTED");
      expect(ms).toBeLessThan(SETTLED_MS);
    } finally {
      await end();
    }
    await expect.poll(() => a.sync().then(({ status }) => status, String)).not.toMatch(/Error/);
    await new Member(store, state, "c").leave();
    const [after] = await agree(a, b);
    expect(after).toMatchObject({ members: 2, held: 50 });
  });
});

it("after the table was lost and made again the members are unknown, and come back with what they hold", {
  timeout: 60_000,
}, async () => {
  await using store = open();
  const [a, b] = [new Member(store, "lost", "a"), new Member(store, "lost", "b")];
  await a.join();
  await b.join();
  const [before] = await agree(a, b);
  await server.restart({ keepData: false });
  expect((await failure(a.sync())).code).toMatch(/^DT_STORE_/);
  await makeTable(server, "throttle");
  await expect.poll(() => a.sync().then(({ status }) => status, String)).toBe("unknown");
  const observedMs = before?.storeTimeMs as number;
  const back = await a.register({ rejoin: true, claim: 50, observedMs });
  expect(back.storeTimeMs).toBeGreaterThanOrEqual(observedMs);
  expect(await b.register({ rejoin: true, claim: 50, observedMs })).toMatchObject({ members: 2, held: 50 });
  // They are witnesses that data was lost: others may hold what is on record no more, so that nobody is raised for a
  // stale age.
  expect((await a.beat()).learning).toBe(true);
  const statuses = async (): Promise<string[]> => [(await a.beat()).status, (await b.beat()).status];
  await expect.poll(statuses, { interval: 500 }).toEqual(["agree", "agree"]);
});
