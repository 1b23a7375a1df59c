import type { Runtime } from "../../../src/index.ts";
import type { Backend } from "../../../src/store/index.ts";

/** A backend that answers nothing: its operations never settle, unless the test gives others. */
export function bareBackend(runtime: Runtime, parts: Partial<Backend> = {}): Backend {
  const never = (): Promise<never> => new Promise(() => undefined);
  return {
    capabilities: { name: "bare", clock: "server", ledger: true, losesData: false, hints: false },
    runtime,
    timeoutMs: 1_000,
    register: never,
    sync: never,
    deregister: never,
    inspect: never,
    close: () => undefined,
    ...parts,
  };
}
