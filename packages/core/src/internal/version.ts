import { DtError } from "../errors/dt-error.ts";
import { packageName } from "../errors/scope.ts";

/** The build puts the version in from package.json. There is none where the sources run. */
declare const PACKAGE_VERSION: string | undefined;

const VERSION: string = typeof PACKAGE_VERSION === "string" ? PACKAGE_VERSION : "sources";

const CORE = packageName("core");

/** The same in every copy of core. */
const MARK = Symbol.for(`${CORE}/version`);

type Marked = { readonly [MARK]?: string } | null | undefined;

/** Marks all objects of a class, given its prototype, with the version of this copy of core. */
export function markVersion(prototype: object): void {
  Object.defineProperty(prototype, MARK, { value: VERSION });
}

/** Marks what stands for an object as that object is marked. */
export function copyVersion(from: object, to: object): void {
  const version = (from as Marked)?.[MARK];
  if (version !== undefined) Object.defineProperty(to, MARK, { value: version });
}

/**
 * Refuses a store or a limiter that was made with another version of core. Copies of one version work together, as ESM
 * and CommonJS do. An object without a mark passes, such as a store that implements the interface by itself.
 * @throws DtError `DT_INVALID_OPTION`
 */
export function checkVersion(option: string, value: unknown): void {
  const version = (value as Marked)?.[MARK];
  if (version === undefined || version === VERSION) return;
  throw new DtError(
    "DT_INVALID_OPTION",
    `${option} was made with ${CORE} ${version} and is given to ${CORE} ${VERSION}; a program needs one version of ${CORE}: "npm ls ${CORE}" shows which packages ask for which, and "npm dedupe" or an update of one of them leaves one`,
  );
}
