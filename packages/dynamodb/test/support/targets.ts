import type { StoreTarget } from "@dt/conformance";
import { systemRuntime } from "@dt/core";
import { type DynamoDbOptions, type DynamoDbServer, dockerAnswers, startDynamoDb } from "@dt-tooling/backends";
import { dynamodbCapabilities, dynamodbStore } from "../../src/index.ts";
import { dynamodbDamage } from "./damage.ts";
import { makeTable } from "./table.ts";

/** A target with a server of its own: start it before the suite runs, stop it afterwards. */
type ServedTarget = StoreTarget & { start(): Promise<void>; stop(): Promise<void> };

/** Cases at a time: they wait for stale ages of five seconds, but the server computes in one process. */
export const DYNAMODB_CONCURRENCY = 10;

/** Suits dozens of members in one process on a busy machine. */
const PATIENT = { timeout: "30s" } as const;
/** Where the server is taken away; the default one is tested in outage.test.ts. */
const SHORT = { timeout: "8s" } as const;

const TABLE = "dt-conformance";

function served(
  name: string,
  options: DynamoDbOptions,
  faults: (server: () => DynamoDbServer) => StoreTarget["faults"],
  maxMembers = 100,
): ServedTarget {
  let server: DynamoDbServer;
  const config = () => ({ endpoint: server.url, region: server.region, credentials: server.credentials });
  const storeOptions = () => ({ table: TABLE, config: config() });
  const possible = faults(() => server);
  return {
    name,
    capabilities: dynamodbCapabilities,
    permits: true,
    budgets: true,
    buckets: true,
    limits: true,
    // A stale age of the suite is then long against the server's answers.
    timeScale: 10,
    // The ledger is one item: what grows with the group, and where it ends in practice, is in the README.
    maxMembers,
    async start() {
      server = await startDynamoDb(options);
      await makeTable(server, TABLE);
    },
    stop: async () => server?.stop(),
    createStore: ({ outage }) => dynamodbStore({ ...storeOptions(), ...(outage ? SHORT : PATIENT) }),
    createSkewedStore: (skewMs) =>
      dynamodbStore({
        ...storeOptions(),
        ...PATIENT,
        runtime: { ...systemRuntime, now: () => systemRuntime.now() + skewMs },
      }),
    damage: dynamodbDamage(config, TABLE),
    ...(possible && { faults: possible }),
  };
}

/**
 * dynalite, a server of the DynamoDB API in a process of its own.
 * @param maxMembers the largest group
 */
export function dynaliteTarget(maxMembers?: number): ServedTarget {
  const faults = (server: () => DynamoDbServer): StoreTarget["faults"] => ({
    kill: () => server().kill(),
    restart: (options) => server().restart(options),
    pause: () => server().pause(),
    resume: () => server().resume(),
  });
  return served("dynamodb (dynalite)", { control: true }, faults, maxMembers);
}

/**
 * Targets besides dynalite, where there are any: DynamoDB Local in a container when a container engine answers; or what
 * answers at the address in the variable `DT_DYNAMODB_URL`, in which the table `dt-conformance` is made and left.
 */
export async function otherDynamodbTargets(): Promise<readonly ServedTarget[]> {
  const { DT_DYNAMODB_URL: url } = process.env;
  if (url) return [served(`dynamodb (${url})`, {}, () => undefined)];
  return (await dockerAnswers()) ? [served("dynamodb (DynamoDB Local)", {}, () => undefined)] : [];
}
