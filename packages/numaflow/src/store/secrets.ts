import { DtError } from "@dt/core";
import { describe } from "@dt/core/internal";
import type { SecretReference } from "../spec/rate-limit.ts";

/**
 * Reads one value of a secret. It answers undefined where there is none.
 * @example const secrets = ({ name, key }) => readFile(`/var/run/secrets/${name}/${key}`, "utf8");
 */
export type SecretResolver = (reference: SecretReference) => string | undefined | Promise<string | undefined>;

/**
 * The variable of the environment that stands for a value of a secret: both names in capitals, with two underscores
 * between them.
 * @param reference the secret, and the key within it
 * @example secretVariable({ name: "redis-auth", key: "password" }); // "REDIS_AUTH__PASSWORD"
 */
export function secretVariable(reference: SecretReference): string {
  const { name, key } = reference;
  return [name, key].map((part) => part.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_")).join("__");
}

/**
 * Takes secrets from the environment, by {@link secretVariable}.
 * @param env the environment. Default: that of the process
 * @example const secrets = secretsFromEnvironment({ REDIS_AUTH__PASSWORD: "hunter2" });
 */
export function secretsFromEnvironment(env: NodeJS.ProcessEnv = process.env): SecretResolver {
  return (reference) => env[secretVariable(reference)];
}

/**
 * The value of a secret; undefined where it is optional and missing.
 * @param field the field that has the reference, for errors
 * @throws DtError `DT_INVALID_OPTION`, without the value
 */
export async function readSecret(
  reference: SecretReference,
  field: string,
  secrets: SecretResolver,
): Promise<string | undefined> {
  const { name, key, optional = false } = reference;
  const which = `${field}: the key ${describe(key)} of the secret ${describe(name)}`;
  let value: unknown;
  try {
    value = await secrets(reference);
  } catch (error) {
    throw new DtError("DT_INVALID_OPTION", `${which} could not be read: the callback secrets failed`, { cause: error });
  }
  if (value === undefined && optional) return undefined;
  if (typeof value === "string" && value !== "") return value;
  const found = value === undefined ? "is not there" : value === "" ? "is empty" : "is not text";
  throw new DtError(
    "DT_INVALID_OPTION",
    `${which} ${found}; set the variable ${secretVariable(reference)}, or answer it from the callback secrets`,
  );
}
