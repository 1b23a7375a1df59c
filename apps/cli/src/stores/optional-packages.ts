import { UsageError } from "../exit-code.ts";

/**
 * Loads what needs packages that come only with those who use them: drivers are large.
 * @param what for the message: `"etcd"`
 * @throws UsageError with the command that installs them
 */
export async function fromPackages<T>(what: string, packages: readonly string[], load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if (!isMissing(error)) throw error;
    const [given, once] = [packages.join(" "), ["@dt/cli", ...packages].map((name) => `-p ${name}`).join(" ")];
    throw new UsageError(
      `${what} needs ${packages.join(" and ")}, which are not installed beside @dt/cli; run: npm install ${given} (with -g if @dt/cli is global), or for one run: npx ${once} dt ...`,
      { cause: error },
    );
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && (error as NodeJS.ErrnoException).code === "ERR_MODULE_NOT_FOUND";
}
