import { UsageError } from "../exit-code.ts";
import { type LoadedTarget, show } from "./check-target.ts";

const METHODS = ["register", "sync", "deregister", "inspect", "close"] as const;

/**
 * Makes one store and looks at it, so that a store that cannot even be made is one message and not a hundred failures.
 * @throws UsageError names the file, what is missing of the store and the remedy
 */
export async function probeStore(target: LoadedTarget, file: string): Promise<void> {
  const store: unknown = await attempt(() => target.createStore(), `${file}: createStore() failed`);
  if (typeof store !== "object" || store === null)
    throw new UsageError(`${file}: createStore() gave ${show(store)}; return the store, or a promise of it`);
  const methods = store as Partial<Record<string, unknown>>;
  const wanted = target.capabilities.push ? [...METHODS, "watch"] : METHODS;
  const missing = wanted.filter((name) => typeof methods[name] !== "function");
  if (missing.length > 0)
    throw new UsageError(
      `${file}: the store of createStore() has no function ${missing.join(", ")}; see CoordinationStore in @dt/core for what each does`,
    );
  const made = store as Awaited<ReturnType<LoadedTarget["createStore"]>>;
  const end = async (): Promise<void> => (target.destroyStore ? target.destroyStore(made) : made.close());
  await attempt(end, `${file}: ${target.destroyStore ? "destroyStore()" : "the store's close()"} failed`);
}

async function attempt<T>(run: () => T | Promise<T>, what: string): Promise<T> {
  try {
    return await run();
  } catch (error) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    throw new UsageError(`${what}: ${text}`);
  }
}
