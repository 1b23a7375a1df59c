import type { Counters } from "./bench-store.ts";

/** What is counted of an etcd, and the lines of its metrics that say so. */
const KINDS: readonly (readonly [what: string, line: RegExp, scale: number])[] = [
  // A stream of renewals is one request for gRPC; its messages are the requests.
  ["requests", /^grpc_server_handled_total\{.*grpc_method="(?:Range|Put|Txn|LeaseGrant|LeaseRevoke)".*\} (\S+)$/gm, 1],
  ["lease renewals", /^grpc_server_msg_received_total\{.*grpc_method="LeaseKeepAlive".*\} (\S+)$/gm, 1],
  ["transactions", /^grpc_server_handled_total\{.*grpc_method="Txn".*\} (\S+)$/gm, 1],
  ["bytes in and out", /^etcd_network_client_grpc_(?:received|sent)_bytes_total (\S+)$/gm, 1],
  ["µs of processor time", /^process_cpu_seconds_total (\S+)$/gm, 1e6],
];

/**
 * The sums over all nodes. Processor time is that of whole processes: etcd's own upkeep, and the question itself, are
 * in it.
 */
export async function etcdCounters(endpoints: readonly string[]): Promise<Counters> {
  const texts = await Promise.all(endpoints.map(async (url) => (await fetch(`${url}/metrics`)).text()));
  const sum = (line: RegExp): number =>
    texts.flatMap((text) => [...text.matchAll(line)]).reduce((total, [, value]) => total + Number(value), 0);
  return Object.fromEntries(KINDS.map(([what, line, scale]) => [what, sum(line) * scale]));
}
