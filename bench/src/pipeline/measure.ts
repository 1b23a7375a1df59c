/**
 * Makes calls with one candidate and prints what it measured as JSON: `node measure.ts <name> <records> <port>` how
 * long it took, with calls over HTTP, or with port 0 with calls that do nothing; `node measure.ts <name> <records>
 * memory` what was in memory meanwhile.
 */
import { Agent, get } from "node:http";
import { AT_ONCE, candidates } from "./candidates.ts";

/** How long it took. */
export interface Time {
  readonly ms: number;
}

/** What was in memory after so many calls, in each tenth of them. */
export interface Memory {
  readonly samples: readonly { readonly calls: number; readonly heapMiB: number }[];
  readonly peakRssMiB: number;
}

const [name, amount, how] = process.argv.slice(2);
const candidate = candidates.find((one) => one.name === name);
if (candidate === undefined) throw new Error(`there is no candidate "${name}"`);
const opened = await candidate.open();
const records = Number(amount);

async function* upTo(count: number): AsyncGenerator<number> {
  for (let record = 0; record < count; record++) yield record;
}

process.stdout.write(JSON.stringify(how === "memory" ? await memory() : await time(Number(how))));
await opened.close?.();

async function time(port: number): Promise<Time> {
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  const call = port === 0 ? async (record: number) => record : () => request(agent, port);
  await opened.run(upTo(Math.ceil(records / 5)), call);
  const begun = performance.now();
  await opened.run(upTo(records), call);
  const ms = performance.now() - begun;
  agent.destroy();
  return { ms };
}

function request(agent: Agent, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = get({ agent, host: "127.0.0.1", port }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("end", () => resolve(text));
    });
    sent.on("error", reject);
  });
}

async function memory(): Promise<Memory> {
  const samples: { calls: number; heapMiB: number }[] = [];
  let calls = 0;
  await opened.run(upTo(records), async (record) => {
    calls += 1;
    if (calls % (records / 10) === 0) {
      (globalThis as { gc?: () => void }).gc?.();
      samples.push({ calls, heapMiB: process.memoryUsage().heapUsed / 2 ** 20 });
    }
    return record;
  });
  return { samples, peakRssMiB: process.resourceUsage().maxRSS / 1_024 };
}
