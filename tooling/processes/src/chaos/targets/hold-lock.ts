/**
 * Takes SQLite's write lock in the middle of a transaction and keeps it until it is killed: `hold-lock.ts <path>`. Says
 * "locked" when it has it.
 */
import { DatabaseSync } from "node:sqlite";

const database = new DatabaseSync(process.argv[2] as string);
database.exec("PRAGMA busy_timeout = 10000");
database.exec("BEGIN IMMEDIATE");
process.stdout.write("locked\n");
setInterval(() => {}, 60_000);
