import { usageOf } from "@dt/adaptive";
import type { Usage } from "./cost.ts";
import type { LimitSettings } from "./limits.ts";
import { PARTS } from "./parts.ts";

type Read = (value: unknown) => Usage | undefined;

/** What one call has cost, read from its result or from the items of its stream. */
export class UsageOfCall {
  readonly #read: Read;
  readonly #usage: Record<string, Usage[string]> = {};
  /** How many values could not be read. */
  ignored = 0;

  /** @param settle the option; by default what providers report, for every limit except `requests` */
  constructor(limits: readonly LimitSettings[], settle: Read | undefined) {
    this.#read = settle ?? ((value) => reported(limits, value));
  }

  /** The usage as far as it was read; undefined where nothing was. */
  get usage(): Usage | undefined {
    return Object.keys(this.#usage).length === 0 ? undefined : this.#usage;
  }

  add(value: unknown): void {
    try {
      for (const [name, spent] of Object.entries(this.#read(value) ?? {})) {
        const before = this.#usage[name];
        this.#usage[name] = typeof before === "object" && typeof spent === "object" ? { ...before, ...spent } : spent;
      }
    } catch {
      this.ignored += 1;
    }
  }

  forget(): void {
    for (const name of Object.keys(this.#usage)) delete this.#usage[name];
  }
}

function reported(limits: readonly LimitSettings[], value: unknown): Usage | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const used = usageOf(value);
  if (used === undefined) return undefined;
  const parts = Object.fromEntries(
    PARTS.map((part) => [part, used[part]] as const).filter(([, size]) => size !== undefined),
  );
  return Object.fromEntries(limits.filter(({ name }) => name !== "requests").map(({ name }) => [name, parts]));
}
