import { checkInteger, checkName, invalidOption } from "@dt/core/ledger";
import { MOST_MEMBERS } from "../members/check-answer.ts";
import type { MemberSource } from "../members/source.ts";
import { constantSource } from "./fixed-source.ts";

/**
 * The member count in an environment variable, read once: the environment of a process does not change. A deployment
 * that changes it starts new processes, and while old and new ones run together they count differently (see the README
 * for what that means).
 * @param variable the variable's name
 * @param env the environment
 * @throws DtError `DT_INVALID_OPTION` when the variable is missing or not a whole number from 1
 * @example podCountStore({ source: envSource("REPLICAS") });
 */
export function envSource(variable: string, env: NodeJS.ProcessEnv = process.env): MemberSource {
  checkName("variable", variable);
  const text = env[variable];
  if (text === undefined || !/^\s*\d+\s*$/.test(text))
    throw invalidOption(
      `environment variable ${variable}`,
      text,
      'set it to the number of members, such as "5", in the pod template or wherever this process is started',
    );
  return constantSource(
    `environment variable ${variable}`,
    checkInteger(`environment variable ${variable}`, Number(text), 1, MOST_MEMBERS),
  );
}
