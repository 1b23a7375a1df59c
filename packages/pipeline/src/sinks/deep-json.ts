/** What is still to be written: text, a value, or the end of an object that is no ancestor any more then. */
type Step =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "value"; readonly value: unknown }
  | { readonly kind: "end"; readonly of: object; readonly text: string };

/**
 * The JSON of a value, however deeply it is nested. `JSON.stringify` exhausts the stack at some thousands of levels,
 * although `JSON.parse` reads them: one such record would end every run at itself. Slower, so for those alone.
 * @throws TypeError for a cycle and a bigint, as `JSON.stringify`
 */
export function deepJson(value: unknown): string {
  const pieces: string[] = [];
  const ancestors = new Set<object>();
  const steps: Step[] = [{ kind: "value", value: plainOf(value) }];
  for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
    if (step.kind === "text") pieces.push(step.text);
    else if (step.kind === "end") {
      ancestors.delete(step.of);
      pieces.push(step.text);
    } else if (!isContainer(step.value)) pieces.push(JSON.stringify(step.value) ?? "null");
    else {
      if (ancestors.has(step.value)) throw new TypeError("Converting circular structure to JSON");
      ancestors.add(step.value);
      pieces.push(Array.isArray(step.value) ? "[" : "{");
      // The last step is taken first.
      for (const inner of stepsOf(step.value).reverse()) steps.push(inner);
    }
  }
  return pieces.join("");
}

/** Node 21 and newer. */
const { isRawJSON } = JSON as { readonly isRawJSON?: (value: unknown) => boolean };

function isContainer(value: unknown): value is object {
  if (typeof value !== "object" || value === null || isRawJSON?.(value)) return false;
  return !(value instanceof Number || value instanceof String || value instanceof Boolean);
}

function stepsOf(container: object): Step[] {
  const isArray = Array.isArray(container);
  const steps: Step[] = [];
  for (const [key, given] of isArray ? container.entries() : Object.entries(container)) {
    const value = plainOf(given, String(key));
    if (!isArray && (value === undefined || typeof value === "function" || typeof value === "symbol")) continue;
    const name = isArray ? "" : `${JSON.stringify(key)}:`;
    steps.push({ kind: "text", text: `${steps.length === 0 ? "" : ","}${name}` }, { kind: "value", value });
  }
  return [...steps, { kind: "end", of: container, text: isArray ? "]" : "}" }];
}

function plainOf(value: unknown, key = ""): unknown {
  const { toJSON } = (value ?? {}) as { readonly toJSON?: unknown };
  return typeof toJSON === "function" ? (toJSON.call(value, key) as unknown) : value;
}
