import { startDynamoDb, startEtcd, startPostgres, startRedis } from "@dt-tooling/backends";

/** A server that a package's scenarios talk to, and the variables that tell them where it is. */
export interface ScenarioServer {
  readonly env: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** The server that the scenarios of a package need, by the package's folder; undefined where they need none. */
export async function startServerFor(folder: string): Promise<ScenarioServer | undefined> {
  switch (folder.split("/").at(-1)) {
    case "numaflow":
    case "redis": {
      const redis = await startRedis();
      return { env: { REDIS_URL: redis.url }, stop: () => redis.stop() };
    }
    case "postgres": {
      const postgres = await startPostgres();
      return { env: { DATABASE_URL: postgres.url }, stop: () => postgres.stop() };
    }
    case "etcd": {
      const etcd = await startEtcd();
      return { env: { ETCD_ENDPOINTS: etcd.endpoints.join(",") }, stop: () => etcd.stop() };
    }
    case "dynamodb": {
      const dynamodb = await startDynamoDb();
      const { accessKeyId, secretAccessKey } = dynamodb.credentials;
      return {
        env: {
          AWS_ENDPOINT_URL_DYNAMODB: dynamodb.url,
          AWS_REGION: dynamodb.region,
          AWS_ACCESS_KEY_ID: accessKeyId,
          AWS_SECRET_ACCESS_KEY: secretAccessKey,
        },
        stop: () => dynamodb.stop(),
      };
    }
    default:
      return undefined;
  }
}
