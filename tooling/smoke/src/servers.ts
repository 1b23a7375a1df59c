import { startPostgres, startRedis } from "@dt-tooling/backends";

/** A server that a package's scenarios talk to, and the variables that tell them where it is. */
export interface ScenarioServer {
  readonly env: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** The server that the scenarios of a package need, by the package's folder; undefined where they need none. */
export async function startServerFor(folder: string): Promise<ScenarioServer | undefined> {
  switch (folder.split("/").at(-1)) {
    case "redis": {
      const redis = await startRedis();
      return { env: { REDIS_URL: redis.url }, stop: () => redis.stop() };
    }
    case "postgres": {
      const postgres = await startPostgres();
      return { env: { DATABASE_URL: postgres.url }, stop: () => postgres.stop() };
    }
    default:
      return undefined;
  }
}
