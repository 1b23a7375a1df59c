/**
 * Measures one candidate in this process and prints an {@link HttpMeasurement}:
 * `node measure.ts <name> <url> '<plan as JSON>'`.
 */
import { httpCandidates } from "./candidates.ts";

/** What to do. */
export interface Plan {
  readonly requests: number;
  /** Requests before anything is measured, so that V8 has compiled what it will and the connections are there. */
  readonly warmUp: number;
  /** Requests on their way at once. */
  readonly atOnce: number;
}

/** What a request takes. */
export interface HttpMeasurement {
  /** Processor time of this process, in microseconds: the server's and that of others do not count. */
  readonly cpuUs: number;
  readonly wallUs: number;
}

const [name, url = "", plan = ""] = process.argv.slice(2);
const { requests, warmUp, atOnce } = JSON.parse(plan) as Plan;
const candidate = httpCandidates.find((one) => one.name === name);
if (candidate === undefined) throw new Error(`there is no candidate ${name}`);
const { request, close } = await candidate.prepare(url);

await make(warmUp);
const startMs = performance.now();
const start = process.cpuUsage();
await make(requests);
const { user, system } = process.cpuUsage(start);
const wallUs = ((performance.now() - startMs) * 1_000) / requests;
const measurement: HttpMeasurement = { cpuUs: (user + system) / requests, wallUs };
process.stdout.write(JSON.stringify(measurement), () => process.exit());
await close();

/** @throws Error when a request is not answered as it should be: a refusal would be cheaper */
async function make(count: number): Promise<void> {
  let begun = 0;
  const worker = async (): Promise<void> => {
    while (begun++ < count) if ((await request()) !== 200) throw new Error(`${name} was refused`);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
