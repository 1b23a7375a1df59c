// Changes half of a ledger inside a transaction, and then neither commits nor rolls back.
import { DatabaseSync } from "node:sqlite";

const [path] = process.argv.slice(2) as [string];
const database = new DatabaseSync(path);
database.exec("BEGIN IMMEDIATE; DELETE FROM members; UPDATE groups SET member_count = 7, held = 1000000");
console.log("half done");
process.stdin.resume();
