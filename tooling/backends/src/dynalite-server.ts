/**
 * dynalite in a process of its own, as its command line starts it, but that it keeps idle connections for a minute, as
 * AWS does, instead of five seconds: a client whose process is starved on a busy machine would otherwise send a request
 * on a connection that is being closed.
 *
 * Arguments: the port on 127.0.0.1, the folder of the data, milliseconds that a change of a table takes.
 */
import type { Server } from "node:http";
import { createRequire } from "node:module";

const KEEP_IDLE_MS = 60_000;

const dynalite = createRequire(import.meta.url)("dynalite") as (options: object) => Server;
const [port, path, tableChangeMs] = process.argv.slice(2);
const changes = Number(tableChangeMs);
const server = dynalite({ path, createTableMs: changes, deleteTableMs: changes, updateTableMs: changes });
server.keepAliveTimeout = KEEP_IDLE_MS;
server.listen(Number(port), "127.0.0.1");
