/** What is wrong with a spec, and where. */
export interface SpecProblem {
  /** The field, such as `spec.vertices[0].limits.rateLimit.max`. */
  readonly field: string;
  /** What is wrong, and the remedy. It never holds a secret. */
  readonly message: string;
}

/** Fields that may hold a secret, or stand where a user may have written one. */
const SECRETIVE = /^(?:url|username|password|.*Secret|.*Auth|.*TLS|.*_(?:auth|tls|secret))$/;

/** A path as it is written. */
export function fieldAt(path: readonly PropertyKey[]): string {
  return path.map((key, i) => (typeof key === "number" ? `[${key}]` : `${i === 0 ? "" : "."}${String(key)}`)).join("");
}

/** Whether the value of a field must not be shown. */
export function isSecretive(path: readonly PropertyKey[]): boolean {
  return path.some((key) => typeof key === "string" && SECRETIVE.test(key));
}
