/**
 * Runs a program of a page once it is sent a line, so that several processes begin at the same moment:
 *
 *     node gate.ts <program> <folder to run it in> <its environment, as JSON>
 */
import { once } from "node:events";
import { readFileSync } from "node:fs";

const [program = "", folder = ".", environment = "{}"] = process.argv.slice(2);
process.chdir(folder);
Object.assign(process.env, JSON.parse(environment));

// What the program imports is loaded before: that takes seconds on a busy machine, and not the same in each process.
for (const [, name = ""] of readFileSync(new URL(program), "utf8").matchAll(/ from "([^"]+)";/g)) await import(name);
console.log("ready");
await once(process.stdin, "data");
process.stdin.destroy();
await import(program);
