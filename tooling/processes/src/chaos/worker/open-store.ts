import type { CoordinationStore } from "@dt/core";
import type { StoreAddress } from "./store-address.ts";

/** Opens the real store at an address, with its defaults. */
export async function openStore(address: StoreAddress): Promise<CoordinationStore> {
  switch (address.kind) {
    case "redis": {
      const { redisStore } = await import("@dt/redis");
      return redisStore({ url: address.url });
    }
    case "redis-sentinel": {
      const { redisStore } = await import("@dt/redis");
      const { name, natMap } = address;
      return redisStore({ options: { sentinels: [...address.sentinels], name, natMap } });
    }
    case "redis-cluster": {
      const { redisStore } = await import("@dt/redis");
      return redisStore({ cluster: { nodes: address.nodes, options: { natMap: address.natMap } } });
    }
    case "postgres": {
      const { postgresStore } = await import("@dt/postgres");
      return postgresStore({ connectionString: address.url, hints: true });
    }
    case "etcd": {
      const { etcdStore } = await import("@dt/etcd");
      return etcdStore({ endpoints: address.endpoints });
    }
    case "sqlite": {
      const { sqliteStore } = await import("@dt/sqlite");
      return sqliteStore({ path: address.path });
    }
    case "dynamodb": {
      const { dynamodbStore } = await import("@dt/dynamodb");
      const { table, endpoint, region, credentials } = address;
      return dynamodbStore({ table, config: { endpoint, region, credentials } });
    }
  }
}
