import { DtError, MemoryStore, type Runtime } from "@dt/core";
import { packageName } from "@dt/core/internal";
import type { Store } from "@dt/core/store";
import type { StorePlan } from "./plan.ts";
import { redisOptions } from "./redis-options.ts";
import type { SecretResolver } from "./secrets.ts";

/**
 * Opens the store of a spec. It connects with its first call.
 * @throws DtError `DT_INVALID_OPTION` where a secret is missing, or a package
 */
export async function openStore(
  plan: StorePlan,
  secrets: SecretResolver,
  runtime: Runtime | undefined,
): Promise<Store> {
  const withRuntime = runtime === undefined ? {} : { runtime };
  if (plan.type === "memory") return new MemoryStore(withRuntime);
  const options = await redisOptions(plan, secrets);
  const { redisStore } = await fromPackages([packageName("redis"), "ioredis"], () => import("@dt/redis"));
  return redisStore({ ...options, ...withRuntime });
}

/**
 * Loads what only some users need.
 * @throws DtError `DT_INVALID_OPTION` with the command that installs it
 */
export async function fromPackages<T>(packages: readonly string[], load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ERR_MODULE_NOT_FOUND" && code !== "MODULE_NOT_FOUND") throw error;
    throw new DtError(
      "DT_INVALID_OPTION",
      `the spec has a redisStore, which needs ${packages.join(" and ")}; run: npm install ${packages.join(" ")}`,
      { cause: error },
    );
  }
}
