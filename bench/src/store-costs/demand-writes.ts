import { DynamoDBClient, GetItemCommand } from "@aws-sdk/client-dynamodb";
import { type CoordinationStore, createThrottle, type Throttle } from "@dt/core";
import { createTable, dynamodbStore } from "@dt/dynamodb";
import { etcdStore } from "@dt/etcd";
import { startDynamoDb, startEtcd } from "@dt-tooling/backends";
import { countingClient } from "../stores/dynamodb-counters.ts";
import { etcdCounters } from "../stores/etcd-counters.ts";

/**
 * How often fleets change the ledger of a store that compares and swaps, evenly and by demand (docs/stores.md): node
 * --import ./tooling/bootstrap/src/from-sources.ts bench/src/store-costs/demand-writes.ts [etcd|dynamodb] [members...]
 */

const GROUP = "fleet";
const TOKENS_EACH = 10;
const SETTLE_MS = 12_000;
const MEASURE_MS = 20_000;
/** How long each asks, and then does not, with the load that is on and off. */
const TURN_MS = 10_000;

type Counts = Readonly<Record<string, number>>;

interface Server {
  /** A store as a process of its own has it. */
  connect(): CoordinationStore;
  /** What was counted since it started: changes of the group's ledger, and requests. */
  counts(): Promise<Counts>;
  stop(): Promise<void>;
}

async function etcd(): Promise<Server> {
  const server = await startEtcd({});
  const { endpoints } = server;
  const key = Buffer.from(`dt//groups/${GROUP}/group`).toString("base64");
  return {
    connect: () => etcdStore({ endpoints, timeout: "2s" }),
    counts: async () => {
      const answer = await fetch(`${endpoints[0]}/v3/kv/range`, { method: "POST", body: JSON.stringify({ key }) });
      const { kvs = [] } = (await answer.json()) as { readonly kvs?: readonly { readonly version: string }[] };
      return { changes: Number(kvs[0]?.version ?? 0), ...(await etcdCounters(endpoints)) };
    },
    stop: () => server.stop(),
  };
}

async function dynamodb(): Promise<Server> {
  const server = await startDynamoDb({});
  const { url: endpoint, region, credentials } = server;
  const config = { endpoint, region, credentials, maxAttempts: 1 };
  const { client, spent } = countingClient(config);
  const looker = new DynamoDBClient(config);
  await createTable(looker, "bench");
  return {
    connect: () => dynamodbStore({ table: "bench", client, timeout: "2s" }),
    counts: async () => {
      const Key = { pk: { S: `dt#group#${GROUP}` }, sk: { S: "ledger" } };
      const { Item: item } = await looker.send(new GetItemCommand({ TableName: "bench", Key, ConsistentRead: true }));
      const { version } = item ?? {};
      return { changes: Number(version?.N ?? 0), ...spent() };
    },
    stop: async () => {
      client.destroy();
      looker.destroy();
      await server.stop();
    },
  };
}

async function fleet(server: Server, members: number, shares: "even" | "demand", load: Load): Promise<string> {
  const stores = Array.from({ length: members }, () => server.connect());
  const max = TOKENS_EACH * members;
  const paces = { interval: "1s", clockError: 500, storeTimeout: "2.2s", staleAfter: "60s" } as const;
  const throttles = stores.map((store) => createThrottle({ group: GROUP, max, store, shares, ...paces }));
  // All at once would get in each other's way for longer than a call may take.
  for (const throttle of throttles) await throttle.start();
  let over = false;
  const granted = new Map<number, number>();
  const callers = throttles.map((throttle, place) =>
    call(throttle, (place * TURN_MS * 2) / members, load, granted, () => over),
  );
  await pass(SETTLE_MS);
  const [before, since] = [await server.counts(), throttles[0]?.status().epoch ?? 0];
  const sinceMs = performance.now();
  await pass(MEASURE_MS);
  const [after, until] = [await server.counts(), throttles[0]?.status().epoch ?? 0];
  const seconds = (performance.now() - sinceMs) / 1_000;
  over = true;
  await Promise.all(callers);
  await Promise.all(throttles.map((throttle) => throttle.stop()));
  await Promise.all(stores.map((store) => store.close()));
  // Whole epochs: 20 s that begin anywhere may hold the tokens of 21.
  const whole = [...granted].filter(([epoch]) => epoch > since && epoch < until).map(([, tokens]) => tokens);
  const used = whole.reduce((sum, tokens) => sum + tokens, 0) / (until - since - 1);
  const rates = Object.entries(after).map(([what, n]) => `${what} ${((n - (before[what] ?? 0)) / seconds).toFixed(1)}`);
  const parts = [used, Math.max(...whole)].map((tokens) => ((100 * tokens) / max).toFixed(0));
  return `${members} ${shares} ${load}: ${parts[0]} % of max, ${parts[1]} % in the fullest epoch; per second: ${rates.join(", ")}`;
}

type Load = "saturated" | "on and off";

/** Each wants twice its even part while it asks. One that asks by turns begins them at a time of its own. */
async function call(
  throttle: Throttle,
  offsetMs: number,
  load: Load,
  granted: Map<number, number>,
  isOver: () => boolean,
): Promise<void> {
  const startMs = performance.now() + offsetMs;
  const waits: Promise<void>[] = [];
  while (!isOver()) {
    const isOn = load === "saturated" || Math.floor((performance.now() - startMs) / TURN_MS) % 2 === 0;
    if (isOn)
      waits.push(
        throttle.acquireGrant(1, { timeout: "2s" }).then(
          (grant) => {
            if (grant) granted.set(grant.epoch, (granted.get(grant.epoch) ?? 0) + grant.tokens);
          },
          () => undefined,
        ),
      );
    await pass(1_000 / (2 * TOKENS_EACH));
  }
  await Promise.all(waits);
}

function pass(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

const servers = { etcd, dynamodb };
const [which = "etcd", ...sizes] = process.argv.slice(2);
if (which !== "etcd" && which !== "dynamodb") throw new Error(`${which} is no store that compares and swaps`);
for (const members of sizes.length > 0 ? sizes.map(Number) : [10, 50])
  for (const load of ["saturated", "on and off"] as const)
    for (const shares of ["even", "demand"] as const) {
      const server = await servers[which]();
      process.stdout.write(`${which} ${await fleet(server, members, shares, load)}\n`);
      await server.stop();
    }
