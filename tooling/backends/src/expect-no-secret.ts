import { inspect } from "node:util";
import { expect } from "vitest";

/**
 * Fails when a secret can be read from what a user may print or send on: an error, `status()`, an event, a list of any
 * of them. Looks at what `util.inspect` and `JSON.stringify` show, and at every property that can be reached, hidden
 * ones and the chain of causes included.
 * @param shown what reached the user
 * @param secrets passwords, and names such as "args" of what must not be there at all
 */
export function expectNoSecret(shown: unknown, ...secrets: readonly string[]): void {
  expect(shown, "nothing was handed over to look at").toBeTruthy();
  expect(secrets.length, "no secret was named").toBeGreaterThan(0);
  const texts = { "util.inspect": inspect(shown, { depth: 12 }), "JSON.stringify": json(shown) };
  const reachable = [...reach(shown)].join("\n");
  for (const [how, text] of Object.entries({ ...texts, "a property": reachable }))
    for (const secret of secrets)
      for (const form of new Set([secret, encodeURIComponent(secret)]))
        expect(text, `${how} shows the secret`).not.toContain(form);
}

/** What runs in circles has no JSON. */
function json(shown: unknown): string {
  try {
    return JSON.stringify(shown) ?? "";
  } catch {
    return "";
  }
}

/**
 * Every key and text that can be reached from a value through its own properties, those that are not enumerable too.
 */
function* reach(value: unknown, seen = new Set<unknown>()): Generator<string> {
  if (value instanceof Uint8Array) yield Buffer.from(value).toString("latin1");
  else if (typeof value !== "object" || value === null) yield String(value);
  else if (!seen.has(value)) {
    seen.add(value);
    if (value instanceof Map || value instanceof Set) for (const entry of value) yield* reach(entry, seen);
    for (const key of Reflect.ownKeys(value)) {
      yield String(key);
      yield* reach(Reflect.get(value, key), seen);
    }
  }
}
