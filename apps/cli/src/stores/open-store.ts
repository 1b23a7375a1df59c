import type { CoordinationStore } from "@dt/core";
import { fromPackages } from "./optional-packages.ts";
import type { StoreAddress } from "./store-address.ts";

/**
 * Opens the store at an address; the caller closes it. Adapters are loaded only when they are used: each brings a
 * driver.
 * @param migrate false: the store makes no file and no table; a store without them is refused, and an older one
 * @throws DtError as the adapter documents
 * @throws UsageError for packages that are not installed
 */
export async function openStore(address: StoreAddress, migrate = true): Promise<CoordinationStore> {
  switch (address.kind) {
    case "sqlite": {
      const { sqliteStore } = await import("@dt/sqlite");
      return sqliteStore({ path: address.path, migrate });
    }
    case "redis": {
      const { redisStore } = await import("@dt/redis");
      return redisStore({ url: address.url });
    }
    case "postgres": {
      const { postgresStore } = await import("@dt/postgres");
      return postgresStore({ connectionString: address.url, push: true, migrate });
    }
    case "etcd": {
      const { etcdStore } = await fromPackages("etcd", ["@dt/etcd", "etcd3"], () => import("@dt/etcd"));
      const { protocol, host, username, password } = new URL(address.url);
      const auth = { username: decodeURIComponent(username), password: decodeURIComponent(password) };
      const endpoints = `${protocol === "etcds:" ? "https" : "http"}://${host}`;
      return etcdStore({ endpoints, ...(username === "" ? {} : { auth }) });
    }
    case "dynamodb": {
      const packages = ["@dt/dynamodb", "@aws-sdk/client-dynamodb"];
      const { dynamodbStore } = await fromPackages("DynamoDB", packages, () => import("@dt/dynamodb"));
      const { table, region, endpoint } = address;
      return dynamodbStore({ table, config: { ...(region ? { region } : {}), ...(endpoint ? { endpoint } : {}) } });
    }
  }
}
