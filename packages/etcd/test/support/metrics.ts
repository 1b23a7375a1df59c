/** Requests that a node has answered so far, by method, from its own counters. */
export async function handledRequests(url: string): Promise<ReadonlyMap<string, number>> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const counts = new Map<string, number>();
  for (const [, method, count] of text.matchAll(/^grpc_server_handled_total\{.*grpc_method="(\w+)".*\} ([\d.e+]+)$/gm))
    counts.set(method as string, (counts.get(method as string) ?? 0) + Number(count));
  return counts;
}

/**
 * The same once it does not change any more: etcd counts a request a moment after it has answered. For a node that
 * nobody asks anything at the time.
 */
export async function settledRequests(url: string): Promise<ReadonlyMap<string, number>> {
  for (let last = ""; ; await new Promise((resolve) => setTimeout(resolve, 100))) {
    const now = await handledRequests(url);
    const text = JSON.stringify([...now]);
    if (text === last) return now;
    last = text;
  }
}

/** The sum of some of them over several nodes. */
export async function countRequests(urls: readonly string[], methods: readonly string[]): Promise<number> {
  const all = await Promise.all(urls.map(handledRequests));
  return all.reduce((sum, counts) => sum + methods.reduce((more, method) => more + (counts.get(method) ?? 0), 0), 0);
}
