import { describe, nearestName } from "@dt/core/internal";
import type * as z from "zod/mini";
import { fieldAt, isSecretive, type SpecProblem } from "./problem.ts";

type Schema = z.core.$ZodTypes;
type Issue = z.core.$ZodIssue;

/** What the schema found, in our words: the field, its value unless it may be secret, and the remedy. */
export function problemsOf(schema: z.ZodMiniType, value: unknown, issues: readonly Issue[]): readonly SpecProblem[] {
  const problems = issues.flatMap((issue): SpecProblem[] => {
    if (issue.code === "unrecognized_keys") {
      const known = keysAt(schema as unknown as Schema, issue.path);
      return issue.keys.map((key) => ({ field: fieldAt([...issue.path, key]), message: unknownField(key, known) }));
    }
    const found = at(value, issue.path);
    const shown = isSecretive(issue.path) ? kindOf(found) : describe(found);
    const message = found === undefined ? `it is missing; ${remedyFor(issue)}` : withValue(issue, shown);
    return [{ field: fieldAt(issue.path), message }];
  });
  // One for each field: a second check of a value adds nothing.
  return problems.filter(({ field }, i) => problems.findIndex((other) => other.field === field) === i);
}

/** A field that nobody reads, and the one that was meant. */
export function unknownField(key: string, known: readonly string[]): string {
  const same = known.find((name) => plain(name) === plain(key));
  const meant = same ?? nearestName(key, known);
  const hint =
    same !== undefined && key.includes("_")
      ? `Numaflow's user guide has this spelling, its API has ${same}`
      : meant !== undefined && `did you mean ${meant}?`;
  const names = known.length === 0 ? "it has no fields" : `known are ${known.join(", ")}`;
  return ["there is no such field", ...(hint === false ? [] : [hint]), names].join("; ");
}

/** A name without what spellings differ in. */
const plain = (name: string): string => name.replaceAll(/[_-]/g, "").toLowerCase();

function withValue(issue: Issue, shown: string): string {
  return issue.code === "custom" ? issue.message : `it is ${shown}; ${remedyFor(issue)}`;
}

function remedyFor(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type":
      return `give ${TYPES[issue.expected] ?? issue.expected}${hintFor(issue)}`;
    case "invalid_value":
      return `give ${issue.values.join(" or ")}`;
    case "too_small":
      return issue.origin === "number" || issue.origin === "int"
        ? `give at least ${issue.minimum}`
        : "give at least one";
    case "too_big":
      return `give at most ${issue.maximum}`;
    case "invalid_format":
      return "give a name as Kubernetes has them: small letters, digits and hyphens";
    default:
      return issue.message;
  }
}

const TYPES: Readonly<Record<string, string>> = {
  number: "a whole number",
  int: "a whole number",
  boolean: "true or false",
  string: "text",
  array: "a list",
  object: "an object",
};

function hintFor({ path }: Issue): string {
  const name = String(path.at(-1));
  if (/^(?:rampUpDuration|ttl|coolDownPeriod)$/.test(name)) return ' with a unit, such as "10s"';
  if (/^(?:username|password|\w+Secret)$/.test(name)) return ": a reference to a secret, { name, key }";
  if (/^(?:scheduled|relaxed|inMemoryStore)$/.test(name)) return ", which is empty: {}";
  return "";
}

/** What a value is, without the value: a password may be a number, too. */
function kindOf(value: unknown): string {
  if (typeof value === "string") return "text";
  return typeof value === "object" || typeof value === "boolean" ? describe(value) : `a ${typeof value}`;
}

function at(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (within, key) =>
      typeof within === "object" && within !== null && Object.hasOwn(within, key)
        ? (within as Readonly<Record<PropertyKey, unknown>>)[key]
        : undefined,
    value,
  );
}

/** The fields that the schema has at a path. */
function keysAt(schema: Schema, path: readonly PropertyKey[]): readonly string[] {
  const found = path.reduce<Schema | undefined>((within, key) => {
    const { def } = bare(within)._zod;
    if (def.type === "array") return def.element as Schema;
    return def.type === "object" ? (def.shape[key as string] as Schema | undefined) : undefined;
  }, schema);
  const { def } = bare(found)._zod;
  return def.type === "object" ? Object.keys(def.shape) : [];
}

/** A schema without the mark that its value may be missing. */
function bare(schema: Schema | undefined): Schema {
  if (schema === undefined) throw new Error("the schema has no such path");
  const { def } = schema._zod;
  return def.type === "optional" || def.type === "nullable" ? bare(def.innerType as Schema) : schema;
}
