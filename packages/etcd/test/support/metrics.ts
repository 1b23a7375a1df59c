/** Requests that a node has answered so far, by method, from its own counters. */
export async function handledRequests(url: string): Promise<ReadonlyMap<string, number>> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const counts = new Map<string, number>();
  for (const [, method, count] of text.matchAll(/^grpc_server_handled_total\{.*grpc_method="(\w+)".*\} ([\d.e+]+)$/gm))
    counts.set(method as string, (counts.get(method as string) ?? 0) + Number(count));
  return counts;
}

/** The sum of some of them over several nodes. */
export async function countRequests(urls: readonly string[], methods: readonly string[]): Promise<number> {
  const all = await Promise.all(urls.map(handledRequests));
  return all.reduce((sum, counts) => sum + methods.reduce((more, method) => more + (counts.get(method) ?? 0), 0), 0);
}
