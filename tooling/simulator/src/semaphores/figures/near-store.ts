import type { CoordinationStore, StoreCapabilities, View } from "@dt/core";
import type { Network } from "./network.ts";

/**
 * One process's way to the store: requests, answers and hints take their time, and hints may be lost.
 * @param capabilities what the store is said to be able to do: the methods follow from it
 * @param host whether the process is there still, and what counts its requests
 */
export function nearStore(
  store: CoordinationStore,
  capabilities: StoreCapabilities,
  network: Network,
  host: { readonly isAlive: () => boolean; readonly onCommand: () => void },
): CoordinationStore {
  const far = <T>(run: () => Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      if (!host.isAlive()) return;
      host.onCommand();
      network.send(() =>
        run().then(
          (value) => network.send(() => resolve(value)),
          (error: unknown) => network.send(() => reject(error)),
        ),
      );
    });
  const pushed = (arrive: () => void): void => {
    if (!network.isLost()) network.send(() => host.isAlive() && arrive());
  };
  return {
    capabilities,
    register: (group, registration) => far<View>(() => store.register(group, registration)),
    sync: (group, member, report) => far<View>(() => store.sync(group, member, report)),
    deregister: (group, member, farewell) => far<void>(() => store.deregister(group, member, farewell)),
    inspect: (group) => store.inspect(group),
    ...(capabilities.hints && {
      onHint: async (group: string, listener: (about?: "pause") => void) =>
        (await store.onHint?.(group, (about) => pushed(() => listener(about)))) ?? (() => undefined),
      ...(capabilities.slots && {
        onSlotHint: (async (group, member, listener) =>
          (await store.onSlotHint?.(group, member, (hint) => pushed(() => listener(hint)))) ??
          (() => undefined)) as NonNullable<CoordinationStore["onSlotHint"]>,
      }),
    }),
    close: async () => {},
  };
}
