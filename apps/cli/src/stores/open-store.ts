import type { CoordinationStore } from "@dt/core";
import { packageName } from "@dt/core/internal";
import { UsageError } from "../exit-code.ts";
import type { StoreAddress } from "./store-address.ts";

/**
 * Opens the store at an address; the caller closes it. Adapters are loaded only when they are used: each brings a
 * driver.
 * @param migrate false: the store makes no file and no table; a store without them is refused, and an older one
 * @throws DtError as the adapter documents
 * @throws UsageError for packages that are not installed
 */
export async function openStore(address: StoreAddress, migrate = true): Promise<CoordinationStore> {
  const place = placeOf(address);
  switch (address.kind) {
    case "sqlite": {
      const { sqliteStore } = await import("@dt/sqlite");
      return sqliteStore({ path: address.path, migrate });
    }
    case "redis": {
      const { redisStore } = await import("@dt/redis");
      return redisStore({ url: address.url, ...place });
    }
    case "postgres": {
      const { postgresStore } = await import("@dt/postgres");
      return postgresStore({ connectionString: address.url, hints: true, migrate, ...place });
    }
    case "etcd": {
      const { etcdStore } = await fromPackages("etcd", [packageName("etcd"), "etcd3"], () => import("@dt/etcd"));
      const { protocol, host, username, password } = new URL(address.url);
      const auth = { username: decodeURIComponent(username), password: decodeURIComponent(password) };
      const endpoints = `${protocol === "etcds:" ? "https" : "http"}://${host}`;
      return etcdStore({ endpoints, ...(username === "" ? {} : { auth }), ...place });
    }
    case "dynamodb": {
      const packages = [packageName("dynamodb"), "@aws-sdk/client-dynamodb"];
      const { dynamodbStore } = await fromPackages("DynamoDB", packages, () => import("@dt/dynamodb"));
      const { table, region, endpoint } = address;
      const config = { ...(region ? { region } : {}), ...(endpoint ? { endpoint } : {}) };
      return dynamodbStore({ table, config, ...place });
    }
  }
}

/** The store's option by which fleets of one database are kept apart. */
function placeOf(address: StoreAddress): { readonly prefix?: string; readonly schema?: string } {
  if ("prefix" in address) return { prefix: address.prefix };
  return "schema" in address ? { schema: address.schema } : {};
}

/**
 * Loads what needs packages that come only with those who use them: drivers are large.
 * @param what for the message: `"etcd"`
 * @throws UsageError with the command that installs them
 */
export async function fromPackages<T>(what: string, packages: readonly string[], load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if (!isMissing(error)) throw error;
    const [given, once] = [packages.join(" "), [packageName("cli"), ...packages].map((name) => `-p ${name}`).join(" ")];
    throw new UsageError(
      `${what} needs ${packages.join(" and ")}, which are not installed beside ${packageName("cli")}; run: npm install ${given} (with -g if ${packageName("cli")} is global), or for one run: npx ${once} dt ...`,
      { cause: error },
    );
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && (error as NodeJS.ErrnoException).code === "ERR_MODULE_NOT_FOUND";
}
