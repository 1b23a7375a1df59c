import { open, type RootDatabase } from "lmdb";

const environments = new Map<string, { readonly db: RootDatabase; users: number }>();

/**
 * LMDB allows one environment of a file in a process: stores with the same path share it, and the last one to go closes
 * it.
 */
export function openShared(path: string): RootDatabase {
  const environment = environments.get(path) ?? { db: open({ path }), users: 0 };
  environment.users += 1;
  environments.set(path, environment);
  return environment.db;
}

export async function release(path: string): Promise<void> {
  const environment = environments.get(path);
  if (!environment) return;
  environment.users -= 1;
  if (environment.users > 0) return;
  environments.delete(path);
  await environment.db.close();
}
