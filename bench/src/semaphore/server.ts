import { startPostgres } from "@dt-tooling/backends";
import pg from "pg";
import { commandStats, startOwnRedis } from "../stores/own-redis.ts";
import type { Approach } from "./approaches.ts";

/** A server that only the fleet uses. */
export interface CountedServer {
  readonly url: string;
  /** Requests that the server has had from its clients by now. */
  requests(): Promise<number>;
  stop(): Promise<void>;
}

/** What clients send themselves in all of these approaches; their scripts call none of it. */
const FROM_CLIENTS =
  /^(eval|evalsha|eval_ro|evalsha_ro|fcall|script|hello|client|ping|subscribe|unsubscribe|bzpopmin|xread|quit)(\||$)/;

const STATEMENTS =
  "SELECT coalesce(sum(calls), 0)::float8 AS requests FROM pg_stat_statements WHERE toplevel AND query NOT LIKE '%pg_stat_statements%'";

export const startServer: Readonly<Record<Approach["server"], () => Promise<CountedServer>>> = {
  async redis() {
    const { server, admin } = await startOwnRedis();
    return {
      url: server.url,
      async requests() {
        let requests = 0;
        for (const [command, { calls }] of await commandStats(admin)) if (FROM_CLIENTS.test(command)) requests += calls;
        return requests;
      },
      async stop() {
        admin.disconnect();
        await server.stop();
      },
    };
  },
  async postgres() {
    const server = await startPostgres({ control: true, config: { shared_preload_libraries: "pg_stat_statements" } });
    const admin = new pg.Client(server.url);
    await admin.connect();
    await admin.query("CREATE EXTENSION pg_stat_statements");
    return {
      url: server.url,
      async requests() {
        const { rows } = await admin.query<{ readonly requests: number }>(STATEMENTS);
        return rows[0]?.requests ?? Number.NaN;
      },
      async stop() {
        await admin.end();
        await server.stop();
      },
    };
  },
};
