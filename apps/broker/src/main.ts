/**
 * The broker as a process: `pnpm --filter @dt-apps/broker start --quota noisy=200`. It says where it listens, and ends
 * with its standard input.
 *
 * --port n          where to listen; default: a free port
 * --quota topic=n   messages a second for a topic; may be given more than once
 * --pause-only      a broker of before the signal: it stops reading instead
 */
import { parseArgs } from "node:util";
import { Broker } from "./broker.ts";

const { values } = parseArgs({
  options: {
    port: { type: "string", default: "0" },
    quota: { type: "string", multiple: true, default: [] },
    "pause-only": { type: "boolean", default: false },
  },
});
const quotas = new Map(values.quota.map((text) => text.split("=") as [string, string]));
const broker = await Broker.listen({
  port: Number(values.port),
  topicQuota: (topic) => (quotas.has(topic) ? { rate: Number(quotas.get(topic)) } : {}),
  supportsThrottleProducerCommands: !values["pause-only"],
});
process.stdout.write(`listening ${broker.port}\n`);
process.stdin.resume().on("end", () => void broker.close());
