import { invalidOption } from "../options/check.ts";

/** Any function or method. */
// biome-ignore lint/suspicious/noExplicitAny: the parameters of any function are the one thing that `unknown[]` cannot stand for.
export type AnyMethod = (this: any, ...args: any[]) => unknown;

/** The same function, but it waits for a token first and so returns a promise. */
export type Wrapped<F extends AnyMethod> = (
  this: ThisParameterType<F>,
  ...args: Parameters<F>
) => Promise<Awaited<ReturnType<F>>>;

/** Wraps a function, or decorates a method that returns a promise (TC39 decorators). */
export interface Wrap {
  <F extends AnyMethod>(fn: F): Wrapped<F>;
  <This, Args extends unknown[], Result>(
    method: (this: This, ...args: Args) => Promise<Result>,
    context: ClassMethodDecoratorContext<This, (this: This, ...args: Args) => Promise<Result>>,
  ): (this: This, ...args: Args) => Promise<Result>;
}

interface Acquirer {
  acquire(n: number): Promise<number>;
}

/**
 * The function returned acquires one token, then calls `fn` with the same `this` and arguments.
 * @throws DtError `DT_INVALID_OPTION` when `fn` is not a function
 */
export function wrapWith<F extends AnyMethod>(throttle: Acquirer, fn: F): Wrapped<F> {
  if (typeof fn !== "function") throw invalidOption("wrap", fn, "give a function");
  async function throttled(this: ThisParameterType<F>, ...args: Parameters<F>): Promise<Awaited<ReturnType<F>>> {
    await throttle.acquire(1);
    return (await fn.apply(this, args)) as Awaited<ReturnType<F>>;
  }
  Object.defineProperty(throttled, "name", { value: fn.name, configurable: true });
  return throttled;
}
