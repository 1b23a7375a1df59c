/** `pnpm --filter @dt-apps/broker start [--port n] [--quota messages-per-second]`: the broker as a process. It ends with its standard input, or by a signal. */
import { parseArgs } from "node:util";
import { Broker } from "./broker.ts";

const { values } = parseArgs({ options: { port: { type: "string" }, quota: { type: "string" } } });
const quota = values.quota === undefined ? {} : { messagesPerSecond: Number(values.quota) };
const broker = await Broker.listen({ port: Number(values.port ?? 0), topicQuota: () => quota });
process.stdout.write(`listening ${broker.port}\n`);
process.stdin.resume().on("end", () => void broker.close());
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit());
