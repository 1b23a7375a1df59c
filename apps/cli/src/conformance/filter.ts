import { InvalidArgumentError } from "commander";

/** Which cases are chosen. */
export interface Filter {
  /** As it was given. */
  readonly text: string;
  /** Matched against `rule name` of each case. */
  readonly expression: RegExp;
}

/**
 * `R7`, `stale` or any other part of a case's `rule name`, in any case; between slashes it is a regular expression. A
 * rule's number matches only that rule.
 */
export function parseFilter(text: string): Filter {
  return { text, expression: expressionOf(text) };
}

function expressionOf(text: string): RegExp {
  const expression = /^\/(.+)\/(i?)$/.exec(text);
  try {
    if (expression) return new RegExp(expression[1] as string, expression[2]);
  } catch (error) {
    throw new InvalidArgumentError(`It is no regular expression: ${(error as Error).message}.`);
  }
  const literal = text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(/^[RP]\d+$/i.test(text) ? `^${literal}\\b` : literal, "i");
}
