/**
 * Runs one pattern on one limiter in this process and prints the starts in milliseconds as JSON:
 * `node measure-limiter.ts <name> A|B <seconds> <Redis URL>`.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { PER_SECOND } from "./limiter.ts";
import { limiters } from "./limiters.ts";

const [name, pattern, seconds, redisUrl = ""] = process.argv.slice(2);
const limiter = limiters.find((candidate) => candidate.name === name);
if (limiter === undefined) throw new Error(`there is no limiter "${name}"`);

const IDLE_MS = 900;
const starts: number[] = [];
const { turn, close } = await limiter.open(redisUrl);
const call = async (): Promise<void> => {
  await turn();
  starts.push(performance.now());
};
if (pattern === "B") await call();
await sleep(IDLE_MS);
// More than can start: there is always somebody waiting.
const calls = Array.from({ length: PER_SECOND * (Number(seconds) + 2) }, () => call().catch(() => undefined));
void calls;
await sleep(Number(seconds) * 1_000);
process.stdout.write(JSON.stringify([...starts]), () => {
  void Promise.resolve(close?.()).then(() => process.exit(0));
});
