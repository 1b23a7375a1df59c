import { startPostgres, startRedis } from "@dt-tooling/backends";

/** The servers that the programs of all projects talk to. */
export interface ProjectServers {
  /** The variables that the programs read. */
  readonly env: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

export async function startProjectServers(): Promise<ProjectServers> {
  const redis = await startRedis();
  try {
    const postgres = await startPostgres();
    return {
      env: { REDIS_URL: redis.url, DATABASE_URL: postgres.url },
      stop: async () => {
        await postgres.stop();
        await redis.stop();
      },
    };
  } catch (error) {
    await redis.stop();
    throw error;
  }
}
