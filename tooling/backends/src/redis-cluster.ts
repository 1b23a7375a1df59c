import { type RedisServer, startRedis } from "./redis.ts";
import { withRedis } from "./redis-client.ts";
import { startAll, stopAll } from "./start-all.ts";
import { until } from "./until.ts";

export interface RedisClusterOptions {
  /** Number of masters, which share the slots evenly. Default 3. */
  readonly masters?: number;
  /** Further lines of redis.conf for every node. */
  readonly config?: Readonly<Record<string, string>>;
}

/**
 * A Redis Cluster of masters; each node a process of its own. A node restarted without its data has left the cluster.
 */
export interface RedisCluster extends AsyncDisposable {
  readonly nodes: readonly RedisServer[];
  slotOf(key: string): Promise<number>;
  /** The node that every node of the cluster names as the slot's owner; waits until they agree. */
  ownerOf(slot: number): Promise<RedisServer>;
  /** Moves a slot with its keys, the way `redis-cli --cluster reshard` does; resolves when every node knows. */
  moveSlot(slot: number, from: RedisServer, to: RedisServer): Promise<void>;
  stop(): Promise<void>;
}

const slotCount = 16_384;
const settleMs = 30_000;
const migrateTimeoutMs = 5_000;
const keysPerRound = 100;

const call = <T>(node: RedisServer, ...command: [string, ...(string | number)[]]): Promise<T> =>
  withRedis(node, (client) => client.call(...command) as Promise<T>);

/** Starts a Redis Cluster; resolves when every node knows every slot's owner and reports the state "ok". */
export async function startRedisCluster(options: RedisClusterOptions = {}): Promise<RedisCluster> {
  const { masters = 3, config = {} } = options;
  // There are no replicas to promote: a node that is not heard of for a while, on a busy machine, need not be given up.
  const settings = { "cluster-enabled": "yes", "cluster-announce-ip": "127.0.0.1", "cluster-node-timeout": "10000" };
  const start = (): Promise<RedisServer> => startRedis({ config: { ...settings, ...config } });
  const nodes = await startAll(Array.from({ length: masters }, start));
  const stop = (): Promise<void> => stopAll(nodes);
  try {
    await form(nodes);
  } catch (error) {
    await stop();
    throw error;
  }

  const ownerOf = (slot: number): Promise<RedisServer> =>
    until(`all nodes name the same owner of slot ${slot}`, settleMs, async () => {
      const ports = new Set(await Promise.all(nodes.map((node) => ownerPort(node, slot))));
      return ports.size === 1 ? nodes.find((node) => ports.has(node.port)) : undefined;
    });
  return {
    nodes,
    slotOf: (key) => call<number>(nodes[0] as RedisServer, "CLUSTER", "KEYSLOT", key),
    ownerOf,
    moveSlot: async (slot, from, to) => {
      // A cluster that has just lost and found a node refuses to take keys in: half of them would stay behind.
      await until("every node says that the cluster is up", settleMs, () => allSay(nodes, ["cluster_state:ok"]));
      await migrate(nodes, slot, from, to);
      const owner = await ownerOf(slot);
      if (owner !== to) throw new Error(`slot ${slot} is at port ${owner.port} after its move to ${to.port}`);
      await sameEpochOf(nodes, to);
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

async function form(nodes: readonly RedisServer[]): Promise<void> {
  await Promise.all(
    nodes.map(async (node, index) => {
      const first = Math.floor((slotCount * index) / nodes.length);
      const end = Math.floor((slotCount * (index + 1)) / nodes.length);
      const slots = Array.from({ length: end - first }, (_, offset) => first + offset);
      await call(node, "CLUSTER", "ADDSLOTS", ...slots);
      // Distinct from the start: no collision to resolve later.
      await call(node, "CLUSTER", "SET-CONFIG-EPOCH", index + 1);
    }),
  );
  const [introducer, ...others] = nodes as [RedisServer, ...RedisServer[]];
  for (const node of others) await call(introducer, "CLUSTER", "MEET", node.host, node.port);
  const whole = ["cluster_state:ok", `cluster_known_nodes:${nodes.length}`, `cluster_slots_ok:${slotCount}`];
  await until("every node knows the others and all slots", settleMs, () => allSay(nodes, whole));
}

/** Whether every node's CLUSTER INFO has these lines. */
async function allSay(nodes: readonly RedisServer[], lines: readonly string[]): Promise<boolean> {
  const infos = await Promise.all(nodes.map((node) => call<string>(node, "CLUSTER", "INFO")));
  return infos.every((info) => lines.every((line) => info.split("\r\n").includes(line)));
}

async function migrate(nodes: readonly RedisServer[], slot: number, from: RedisServer, to: RedisServer): Promise<void> {
  const fromId = await call<string>(from, "CLUSTER", "MYID");
  const toId = await call<string>(to, "CLUSTER", "MYID");
  await call(to, "CLUSTER", "SETSLOT", slot, "IMPORTING", fromId);
  await call(from, "CLUSTER", "SETSLOT", slot, "MIGRATING", toId);
  for (;;) {
    const keys = await call<string[]>(from, "CLUSTER", "GETKEYSINSLOT", slot, keysPerRound);
    if (keys.length === 0) break;
    await call(from, "MIGRATE", to.host, to.port, "", 0, migrateTimeoutMs, "KEYS", ...keys);
  }
  // The new owner first: should the old one forget the slot before, nobody would own it.
  const rest = nodes.filter((node) => node !== to && node !== from);
  for (const node of [to, from, ...rest]) await call(node, "CLUSTER", "SETSLOT", slot, "NODE", toId);
}

/**
 * Resolves when every node knows the owner's newest epoch: one that does not would believe the old owner in the next
 * move.
 */
async function sameEpochOf(nodes: readonly RedisServer[], owner: RedisServer): Promise<void> {
  const id = await call<string>(owner, "CLUSTER", "MYID");
  await until(`all nodes name the same epoch of port ${owner.port}`, settleMs, async () => {
    const views = await Promise.all(nodes.map((node) => call<string>(node, "CLUSTER", "NODES")));
    const epochs = views.map(
      (view) =>
        view
          .split("\n")
          .find((line) => line.startsWith(id))
          ?.split(" ")[6],
    );
    return epochs[0] !== undefined && new Set(epochs).size === 1;
  });
}

/** The port of the node that `node` holds for the owner of a slot. */
async function ownerPort(node: RedisServer, slot: number): Promise<number | undefined> {
  const ranges = await call<[number, number, [string, number, string]][]>(node, "CLUSTER", "SLOTS");
  return ranges.find(([first, last]) => first <= slot && slot <= last)?.[2][1];
}
