import { checkDuration, checkInteger, checkKeys, checkSignal, invalidOption } from "../options/check.ts";
import type { Duration } from "../options/duration.ts";
import type { AcquireOptions } from "./options.ts";

/** Any function or method. */
// biome-ignore lint/suspicious/noExplicitAny: the parameters of any function are the one thing that `unknown[]` cannot stand for.
export type AnyMethod = (this: any, ...args: any[]) => unknown;

/** The same function, but it waits for its tokens first and so returns a promise. */
export type Wrapped<F extends AnyMethod> = (
  this: ThisParameterType<F>,
  ...args: Parameters<F>
) => Promise<Awaited<ReturnType<F>>>;

/** A value, or a function of a call's arguments (and its `this`) that gives it. */
type PerCall<Args extends unknown[], Value> = Value | ((...args: Args) => Value);

/** Options of `throttle.wrap`, each a value or a function of the call's arguments. */
export interface WrapOptions<Args extends unknown[] = AnyArguments> {
  /** Tokens that a call takes, a whole number from 1 to `max`; default 1. One that costs more than this processor's share collects its tokens over several epochs, and goes out with the last: what the callee sees of it in that epoch are tokens of earlier ones too. */
  readonly cost?: PerCall<Args, number>;
  /** The call rejects with `DT_ACQUIRE_TIMEOUT` after this time without its tokens; default the throttle's `acquireTimeout`. */
  readonly timeout?: PerCall<Args, Duration | undefined>;
  /** Aborting it while the call waits rejects the call with the signal's reason. */
  readonly signal?: PerCall<Args, AbortSignal | undefined>;
}

// biome-ignore lint/suspicious/noExplicitAny: as above.
type AnyArguments = any[];

type Method<This, Args extends unknown[], Result> = (this: This, ...args: Args) => Promise<Result>;

/** Wraps a function, decorates a method that returns a promise (TC39 decorators), or with options alone gives such a decorator. */
export interface Wrap {
  <F extends AnyMethod>(fn: F, options?: WrapOptions<Parameters<F>>): Wrapped<F>;
  <This, Args extends unknown[], Result>(
    method: Method<This, Args, Result>,
    context: ClassMethodDecoratorContext<This, Method<This, Args, Result>>,
  ): Method<This, Args, Result>;
  <Options extends AnyArguments>(
    options: WrapOptions<Options>,
  ): <This, Args extends Options, Result>(
    method: Method<This, Args, Result>,
    context: ClassMethodDecoratorContext<This, Method<This, Args, Result>>,
  ) => Method<This, Args, Result>;
}

interface Gate {
  /** A call begins; returns what tells that it has ended. */
  begin(): () => void;
  /** Waits for all tokens of a call. */
  pass(cost: number, options: AcquireOptions): Promise<void>;
}

const STANDARD = "As a decorator it is a standard one: turn experimentalDecorators off";
const WRAP_OPTIONS: ReadonlySet<string> = new Set<keyof WrapOptions>(["cost", "timeout", "signal"]);

/** The wrapper of one throttle. */
export function wrapWith(gate: Gate): Wrap {
  const wrap = (fn: AnyMethod, { cost = 1, timeout, signal }: WrapOptions): AnyMethod => {
    if (typeof fn !== "function") throw invalidOption("wrap", fn, `give a function. ${STANDARD}`);
    async function throttled(this: unknown, ...args: unknown[]): Promise<unknown> {
      const end = gate.begin();
      try {
        const of = <Value>(option: PerCall<AnyArguments, Value>): Value =>
          typeof option === "function" ? (option as (...args: AnyArguments) => Value).apply(this, args) : option;
        await gate.pass(of(cost), { timeout: of(timeout), signal: of(signal) });
        return await fn.apply(this, args);
      } finally {
        end();
      }
    }
    Object.defineProperty(throttled, "name", { value: fn.name, configurable: true });
    return throttled;
  };
  const either = (first: AnyMethod | WrapOptions, second?: WrapOptions | { readonly kind: string }): unknown => {
    // A decorator of before the standard is called with a class or its prototype, and a name.
    if (second !== undefined && (typeof second !== "object" || second === null))
      throw invalidOption("options", second, `give { cost, timeout, signal }. ${STANDARD}`);
    if (typeof first === "object" && first !== null) {
      const options = checkWrapOptions(first);
      return (fn: AnyMethod) => wrap(fn, options);
    }
    // The second argument is options, or the context in which a method is decorated.
    return wrap(first, second && "kind" in second ? {} : checkWrapOptions(second ?? {}));
  };
  return either as Wrap;
}

function checkWrapOptions(options: WrapOptions): WrapOptions {
  checkKeys("options", options, WRAP_OPTIONS);
  const { cost = 1, timeout, signal } = options;
  if (typeof cost !== "function") checkInteger("cost", cost, 1);
  if (timeout !== undefined && typeof timeout !== "function") checkDuration("timeout", timeout, 0);
  if (typeof signal !== "function") checkSignal(signal);
  return options;
}
