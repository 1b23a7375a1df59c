import type { CoordinationStore } from "@dt/core";
import { type Endpoint, FaultProxy } from "@dt-tooling/backends";
import type { DelayedStore } from "./bench-store.ts";

/**
 * A store that reaches each of some servers through a proxy of its own, which holds everything back for so long. What a
 * call takes longer then, in round trips of the delay, is the number of round trips that it makes one after the other,
 * whatever it says to the server meanwhile.
 */
export async function delayedStore(
  targets: readonly Endpoint[],
  connectStore: (ports: readonly number[]) => CoordinationStore,
): Promise<DelayedStore> {
  const proxies = await Promise.all(targets.map((target) => FaultProxy.listen(target)));
  const store = connectStore(proxies.map(({ port }) => port));
  return {
    store,
    delay(eachWayMs) {
      for (const proxy of proxies) proxy.apply(eachWayMs === 0 ? undefined : { type: "delay", delayMs: eachWayMs });
    },
    async stop() {
      await store.close();
      await Promise.all(proxies.map((proxy) => proxy.close()));
    },
  };
}
