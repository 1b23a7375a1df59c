import { statSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { UsageError } from "../exit-code.ts";
import { checkTarget, type LoadedTarget } from "./check-target.ts";

type Module = { readonly default?: unknown; readonly target?: unknown };

/**
 * Imports a target file (ESM, CommonJS, or TypeScript where Node strips types): its default export or its export
 * `target`, which is a target or a function that returns one.
 * @throws UsageError names the file and what to change in it
 */
export async function loadTarget(file: string): Promise<LoadedTarget> {
  if (!statSync(file, { throwIfNoEntry: false })?.isFile())
    throw new UsageError(`${file}: there is no such file; give a module that exports a target, such as ./target.mjs`);
  const exported = pickExport(await importModule(file), file);
  return checkTarget(
    typeof exported === "function" ? await callExport(exported as () => unknown, file) : exported,
    file,
  );
}

async function importModule(file: string): Promise<Module> {
  try {
    return (await import(pathToFileURL(resolve(file)).href)) as Module;
  } catch (error) {
    if ((error as NodeJS.ErrnoException)?.code === "ERR_UNKNOWN_FILE_EXTENSION")
      throw new UsageError(
        `${file}: this Node (${process.version}) does not run such files; give a .mjs, .cjs or .js file, or use Node 22.18 or newer for TypeScript`,
      );
    throw new UsageError(`${file}: cannot be imported: ${describe(error)}`);
  }
}

/** What CommonJS exports arrives as `default`, and so does the `default` of a module that was compiled to CommonJS. */
function pickExport(module: Module, file: string): unknown {
  const inner: Module = isObject(module.default) ? module.default : {};
  for (const candidate of [inner.default, inner.target, module.default, module.target])
    if (typeof candidate === "function" || (isObject(candidate) && isMeantAsTarget(candidate))) return candidate;
  const names = Object.keys(module).filter((name) => name !== "module.exports");
  throw new UsageError(
    `${file}: neither the default export nor an export named "target" is a target or a function that returns one (exports: ${names.join(", ") || "none"}); write: export default { name, capabilities, createStore }`,
  );
}

/** One property is enough to take it for a target; the check then says which others are missing. */
function isMeantAsTarget(value: Module): boolean {
  return ["name", "capabilities", "createStore"].some((property) => property in value);
}

async function callExport(create: () => unknown, file: string): Promise<unknown> {
  try {
    return await create();
  } catch (error) {
    throw new UsageError(`${file}: the function that it exports failed: ${describe(error)}`);
  }
}

function isObject(value: unknown): value is Module {
  return typeof value === "object" && value !== null;
}

/** With its stack, since what failed is the user's own code. */
function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
