import { DtError, isDtError } from "../errors/dt-error.ts";
import { checkCall, checkKeys, invalidOption, isPromise } from "../internal/check.ts";
import type { AcquireOptions } from "./acquire-options.ts";
import type { Run, WhenLimited } from "./run.ts";
import type { AnyMethod, Wrap } from "./wrap.ts";

/** The options of one call, by name: `cost`, `whenLimited` and what the limiter knows besides. */
export interface CallOptions {
  readonly timeout?: unknown;
  readonly whenLimited?: unknown;
  readonly [name: string]: unknown;
}

/** A call is not to be made, since its `whenLimited` is `"skip"`. */
export const SKIPPED: unique symbol = Symbol("skipped");

/** How calls get into a limiter: what `run` and `wrap` need of it. */
export interface Entrance<Right> {
  /**
   * The names of its options besides `cost` and `whenLimited`; `wrap` takes them as functions of the arguments, too.
   */
  readonly options: readonly string[];
  /** The names of options that are the same for every call, such as a classifier. */
  readonly fixed?: readonly string[];
  /** The values of `whenLimited` that it takes; the first is the default. */
  readonly whenLimited: readonly WhenLimited[];
  /**
   * Checks options before any call is made: those that are not functions of a call's arguments.
   * @throws DtError `DT_INVALID_OPTION`
   */
  check(options: CallOptions): void;
  /** A call begins; returns the function that reports its end. */
  begin(): () => void;
  /** Admits one call: resolves to the right, or to {@link SKIPPED}. */
  admit(options: CallOptions, whenLimited: WhenLimited): Promise<Right | typeof SKIPPED>;
  /**
   * Makes the call with the right that was admitted, or with another one that the limiter has got since. Left out where
   * the limiter does not look at how a call ends.
   */
  make?(right: Right, call: (right: Right) => unknown, options: CallOptions): unknown;
}

/** The ways to a right, for {@link admitBy}. */
export interface Ways<Right> {
  /** Waits. Rejects with `DT_TIMEOUT` when the call's time is over. */
  wait(): Promise<Right>;
  /** Does not wait, except for the limiter's start. */
  now(): Promise<Right | typeof SKIPPED> | Right | typeof SKIPPED;
  /** The `DT_LIMITED` of a call for which `now` found nothing. */
  limited(): DtError;
}

/**
 * Admits one call as its `whenLimited` says.
 * @param timeout the call's own time, as it was given
 */
export async function admitBy<Right>(
  whenLimited: WhenLimited,
  timeout: unknown,
  ways: Ways<Right>,
): Promise<Right | typeof SKIPPED> {
  if (whenLimited === "wait") return ways.wait();
  if (whenLimited === "throw" || timeout === undefined) {
    const right = await ways.now();
    if (right === SKIPPED && whenLimited === "throw") throw ways.limited();
    return right;
  }
  try {
    return await ways.wait();
  } catch (error) {
    if (isDtError(error, "DT_TIMEOUT")) return SKIPPED;
    throw error;
  }
}

/**
 * What an option that is a function gave for one call. A cost that is missing is no default: a call of many items would
 * go out for 1.
 * @throws DtError `DT_INVALID_COST`
 */
function optionOf(name: string, value: unknown): unknown {
  if (name !== "cost" || value !== undefined) return value;
  throw new DtError("DT_INVALID_COST", "the function cost gave undefined; return what the call costs");
}

const STANDARD = "As a decorator it is a standard one: turn experimentalDecorators off";

/**
 * A method alone is decorated, by the standard. A decorator of before that is given a class or its prototype, and a
 * name.
 * @throws DtError `DT_INVALID_OPTION`
 */
function checkContext(context: unknown): void {
  const kind = typeof context === "object" && context !== null && "kind" in context ? context.kind : "method";
  if (typeof context === "string" || typeof context === "symbol") throw invalidOption("wrap", context, STANDARD);
  if (kind !== "method") throw invalidOption("wrap", kind, "it decorates methods; give a function, or a method");
}

const NO_OPTIONS: CallOptions = {};

/** `run` and `wrap` of one limiter. */
export interface Calls<Right, Cost, Options extends object, When extends WhenLimited, Fixed extends object> {
  readonly run: Run<Right, Cost, Options & Fixed, When>;
  readonly wrap: Wrap<Cost, Options, When, Fixed>;
}

/** Makes `run` and `wrap` of a limiter's entrance. */
export function callsOf<
  Right,
  Cost = number,
  Options extends object = AcquireOptions,
  When extends WhenLimited = WhenLimited,
  Fixed extends object = object,
>(entrance: Entrance<Right>): Calls<Right, Cost, Options, When, Fixed> {
  const { whenLimited: modes, fixed = [] } = entrance;
  const known = new Set(["cost", "whenLimited", ...entrance.options, ...fixed]);
  const isPerCall = (name: string, value: unknown): boolean => typeof value === "function" && !fixed.includes(name);

  /** Copies the options, so that those of a prototype count as well, and a later change of them does not. */
  const check = (given: CallOptions): CallOptions => {
    checkKeys("options", given, known);
    const options: Record<string, unknown> = {};
    for (const name of known) if (given[name] !== undefined) options[name] = given[name];
    const { whenLimited } = options;
    if (whenLimited !== undefined && !modes.includes(whenLimited as WhenLimited))
      throw invalidOption("whenLimited", whenLimited, `give ${modes.map((mode) => `"${mode}"`).join(" or ")}`);
    return options;
  };

  const make = async (options: CallOptions, call: (right: Right) => unknown): Promise<unknown> => {
    const end = entrance.begin();
    try {
      const whenLimited = (options.whenLimited as WhenLimited | undefined) ?? (modes[0] as WhenLimited);
      const right = await entrance.admit(options, whenLimited);
      if (right === SKIPPED) return undefined;
      return await (entrance.make === undefined ? call(right) : entrance.make(right, call, options));
    } finally {
      end();
    }
  };

  const run = async (call: (right: Right) => unknown, options: CallOptions = NO_OPTIONS): Promise<unknown> => {
    checkCall("call", call, "give the function that makes the call");
    const checked = check(options);
    entrance.check(checked);
    return make(checked, call);
  };

  const wrapFunction = (fn: AnyMethod, options: CallOptions): AnyMethod => {
    checkCall("wrap", fn, `give a function. ${STANDARD}`);
    const perCall = Object.entries(options).filter(([name, value]) => isPerCall(name, value));
    const of = (self: unknown, args: unknown[]): CallOptions => {
      if (perCall.length === 0) return options;
      const values = perCall.map(([name, value]) => [name, optionOf(name, (value as AnyMethod).apply(self, args))]);
      return { ...options, ...Object.fromEntries(values) };
    };
    async function wrapped(this: unknown, ...args: unknown[]): Promise<unknown> {
      return make(of(this, args), () => fn.apply(this, args));
    }
    // A wrapped function keeps its type, so it keeps its properties.
    Object.assign(wrapped, fn);
    for (const name of ["name", "length"] as const)
      Object.defineProperty(wrapped, name, { value: fn[name], configurable: true });
    return wrapped;
  };

  const checkFixed = (given: CallOptions): CallOptions => {
    const options = check(given);
    entrance.check(Object.fromEntries(Object.entries(options).filter(([name, value]) => !isPerCall(name, value))));
    return options;
  };

  const wrap = (first: AnyMethod | CallOptions, second?: CallOptions | { readonly kind: string }): unknown => {
    // A decorator of before the standard is called with a class or its prototype, and a name.
    if (second !== undefined && (typeof second !== "object" || second === null))
      throw invalidOption("options", second, `give { ${[...known].join(", ")} }. ${STANDARD}`);
    if (isPromise(first)) checkCall("wrap", first);
    if (typeof first === "object" && first !== null) {
      const options = checkFixed(first);
      return (fn: AnyMethod, context?: unknown) => {
        checkContext(context);
        return wrapFunction(fn, options);
      };
    }
    checkContext(second);
    // The second argument is options, or the context in which a method is decorated.
    return wrapFunction(first, second === undefined || "kind" in second ? NO_OPTIONS : checkFixed(second));
  };

  return { run, wrap } as unknown as Calls<Right, Cost, Options, When, Fixed>;
}
