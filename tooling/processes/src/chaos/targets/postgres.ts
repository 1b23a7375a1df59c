import { startPostgres } from "@dt-tooling/backends";
import { serverKill, serverPause } from "../faults/server-faults.ts";
import { type Target, urlAt } from "./target.ts";

/** One PostgreSQL. A kill takes the server and all its processes, so that it comes back by crash recovery. */
export async function postgresTarget(): Promise<Target> {
  const postgres = await startPostgres({ control: true });
  const choose = () => postgres;
  return {
    servers: [postgres],
    address: (at) => ({ kind: "postgres", url: urlAt(postgres.url, at) }),
    faults: [serverPause(choose), serverKill(choose)],
    losesWrites: false,
    wallClockIsStores: false,
    stop: () => postgres.stop(),
  };
}
