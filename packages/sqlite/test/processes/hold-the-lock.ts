// Keeps the file locked for writing until it is told to let go.
import { once } from "node:events";
import { DatabaseSync } from "node:sqlite";

const [path] = process.argv.slice(2) as [string];
const database = new DatabaseSync(path);
database.exec("BEGIN IMMEDIATE");
console.log("locked");
await once(process.stdin, "data");
database.exec("ROLLBACK");
console.log("free");
process.stdin.destroy();
