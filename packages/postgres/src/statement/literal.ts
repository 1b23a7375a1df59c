/** What a parameter of the store's functions can be. */
export type Parameter = Scalar | readonly string[] | readonly number[] | readonly boolean[];

type Scalar = string | number | boolean | null;

/**
 * A parameter as a literal of SQL. Text of plain ASCII stands as it is. Any other text, and text with a quote or a
 * backslash, travels as hexadecimal digits. It then means the same whatever `standard_conforming_strings` and
 * `client_encoding` are, and cannot end the literal. Numbers are written as JavaScript prints them, which names each
 * double exactly. A list is an array of such values.
 * @param value any value
 * @example const sql = `SELECT ${literal(name)}`;
 */
export function literal(value: Parameter): string {
  if (value === null) return "NULL";
  if (typeof value === "object") return arrayOf(value);
  if (typeof value !== "string") return `'${value}'`;
  if (/^[ -&(-[\]-~]*$/.test(value)) return `'${value}'`;
  return `convert_from(decode('${Buffer.from(value, "utf8").toString("hex")}', 'hex'), 'UTF8')`;
}

/** An array needs quotes of its own for texts alone. The type of an empty one is the parameter's. */
function arrayOf(values: readonly Scalar[]): string {
  if (values.some((value) => typeof value === "string")) return `ARRAY[${values.map(literal).join(", ")}]`;
  return `'{${values.join(",")}}'`;
}
