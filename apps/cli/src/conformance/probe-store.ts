import { checkVersion, packageName } from "@dt/core/internal";
import { UsageError } from "../exit-code.ts";
import { type LoadedTarget, show } from "./check-target.ts";

/** Making a store may start or wait for something; one that takes this long hangs. */
const CREATE_LIMIT_MS = 30_000;

const METHODS = ["register", "sync", "deregister", "inspect", "close"] as const;

/**
 * Makes one store and looks at it, so that a store that cannot even be made is one message and not a hundred failures.
 * @throws UsageError names the file, what is missing of the store and the remedy
 */
export async function probeStore(target: LoadedTarget, file: string, limitMs = CREATE_LIMIT_MS): Promise<void> {
  const create = (): Promise<unknown> => inTime(() => target.createStore({ outage: false }), limitMs);
  const store: unknown = await attempt(create, `${file}: createStore() failed`);
  if (typeof store !== "object" || store === null)
    throw new UsageError(`${file}: createStore() gave ${show(store)}; return the store, or a promise of it`);
  try {
    checkVersion("the store of createStore()", store);
  } catch (error) {
    throw new UsageError(`${file}: ${(error as Error).message}`);
  }
  const methods = store as Partial<Record<string, unknown>>;
  const wanted = target.capabilities.hints ? [...METHODS, "onHint"] : METHODS;
  const missing = wanted.filter((name) => typeof methods[name] !== "function");
  if (missing.length > 0)
    throw new UsageError(
      `${file}: the store of createStore() has no function ${missing.join(", ")}; see CoordinationStore in ${packageName("core")} for what each does`,
    );
  const made = store as Awaited<ReturnType<LoadedTarget["createStore"]>>;
  const end = async (): Promise<void> => (target.destroyStore ? target.destroyStore(made) : made.close());
  await attempt(end, `${file}: ${target.destroyStore ? "destroyStore()" : "the store's close()"} failed`);
}

/** @throws UsageError when nothing has come of it after `limitMs` */
async function inTime<T>(run: () => T | Promise<T>, limitMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const message = `it gave no store within ${limitMs / 1_000} s; return the store, or a promise that settles`;
    timer = setTimeout(() => reject(new UsageError(message)), limitMs);
  });
  try {
    return await Promise.race([run(), late]);
  } finally {
    clearTimeout(timer);
  }
}

async function attempt<T>(run: () => T | Promise<T>, what: string): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof UsageError) throw new UsageError(`${what}: ${error.message}`);
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    throw new UsageError(`${what}: ${text}`);
  }
}
