import { checkCall, checkDuration, checkKeys, checkSignal, invalidOption, isPromise } from "./check.ts";
import type { Duration } from "./duration.ts";
import type { WithoutTimeout } from "./waiting-queue.ts";

/** Any function or method. */
// biome-ignore lint/suspicious/noExplicitAny: `unknown[]` cannot stand for the parameters of any function.
export type AnyMethod = (this: any, ...args: any[]) => unknown;

/**
 * The same function, but it waits for its turn first and so returns a promise; of undefined where it was not called.
 */
export type Wrapped<F extends AnyMethod, NotCalled = never> = (
  this: ThisParameterType<F>,
  ...args: Parameters<F>
) => Promise<Awaited<ReturnType<F>> | NotCalled>;

/** A value, or a function of a call's arguments (and its `this`) that gives it. */
type PerCall<Args extends unknown[], Value> = Value | ((...args: Args) => Value);

/** What a call does that would have to wait. */
export type OnLimit = "wait" | "skip" | "throw";

/** Options of `wrap`. All but `onLimit` are values, or functions of the call's arguments. */
export interface WrapOptions<Args extends unknown[] = AnyArguments, Limit extends OnLimit = never> {
  /**
   * What a call takes; default 1. Of a throttle: tokens, a whole number from 1 to `max`; one that costs more than this
   * member's share collects them over several epochs, and goes out with the last: what the callee sees of it in that
   * epoch are tokens of earlier ones too. Of a pacer: units of `every`, any number > 0.
   */
  readonly cost?: PerCall<Args, number>;
  /**
   * A call that has waited so long resolves to undefined, and the function is not called. Default: it rejects with
   * `DT_TIMEOUT` after `acquireTimeout`, which is the way to tell it from a function that returns undefined.
   */
  readonly timeout?: PerCall<Args, Duration | undefined>;
  /** Aborting it while the call waits rejects the call with the signal's reason. */
  readonly signal?: PerCall<Args, AbortSignal | undefined>;
  /**
   * Pacers only. Default `"wait"`; `"skip"` resolves to undefined at once, `"throw"` rejects with `DT_LIMITED`, whose
   * `retryAfterMs` says when to try again.
   */
  readonly onLimit?: Limit;
}

// biome-ignore lint/suspicious/noExplicitAny: as above.
type AnyArguments = any[];

/**
 * Options with which each call may resolve to undefined. They come first: for the compiler to know the arguments of a
 * function `timeout`.
 */
type Timed<Args extends unknown[], Limit extends OnLimit> = WrapOptions<Args, Limit> & {
  readonly timeout: PerCall<Args, Duration | undefined>;
};

/** Options with which the function is called in the end, or an error says why not. */
type Sure<Args extends unknown[], Limit extends OnLimit> = WithoutTimeout<WrapOptions<Args, Exclude<Limit, "skip">>>;

type Method<This, Args extends unknown[], Result> = (this: This, ...args: Args) => Promise<Result>;

type Decorator<Options extends AnyArguments, NotCalled = never> = <This, Args extends Options, Result>(
  method: Method<This, Args, Result>,
  context: ClassMethodDecoratorContext<This, Method<This, Args, Result>>,
) => Method<This, Args, Result | NotCalled>;

/**
 * Wraps a function, decorates a method that returns a promise (TC39 decorators), or with options alone gives such a
 * decorator.
 */
export interface Wrap<Limit extends OnLimit = never> {
  <F extends AnyMethod>(fn: F, options: Timed<Parameters<F>, Limit>): Wrapped<F, undefined>;
  <F extends AnyMethod>(fn: F, options?: Sure<Parameters<F>, Limit>): Wrapped<F>;
  <F extends AnyMethod>(fn: F, options: WrapOptions<Parameters<F>, Limit>): Wrapped<F, undefined>;
  <This, Args extends unknown[], Result>(
    method: Method<This, Args, Result>,
    context: ClassMethodDecoratorContext<This, Method<This, Args, Result>>,
  ): Method<This, Args, Result>;
  <Options extends AnyArguments>(options: Timed<Options, Limit>): Decorator<Options, undefined>;
  <Options extends AnyArguments>(options: Sure<Options, Limit>): Decorator<Options>;
  <Options extends AnyArguments>(options: WrapOptions<Options, Limit>): Decorator<Options, undefined>;
}

/** What wrapped calls have to pass. */
export interface Gate {
  /** The values of `onLimit` that it knows. */
  readonly limits: readonly OnLimit[];
  /** @throws DtError where no call can cost so much */
  checkCost(cost: number): unknown;
  /** A call begins; returns what tells that it has ended. */
  begin(): () => void;
  /** Waits until a call may go on: true; or false when it is not to be made. */
  pass(cost: number, wait: PassOptions): Promise<boolean>;
}

/** How a call waits before the gate. */
export interface PassOptions {
  readonly timeout: Duration | undefined;
  readonly signal: AbortSignal | undefined;
  readonly onLimit: OnLimit;
}

type Options = WrapOptions<AnyArguments, OnLimit>;

const STANDARD = "As a decorator it is a standard one: turn experimentalDecorators off";

/** The wrapper of one throttle or pacer. */
export function wrapWith<Limit extends OnLimit>(gate: Gate): Wrap<Limit> {
  const known = new Set<string>(["cost", "timeout", "signal", ...(gate.limits.length > 0 ? ["onLimit"] : [])]);
  const check = (options: Options): Options => {
    checkKeys("options", options, known);
    const { cost = 1, timeout, signal, onLimit } = options;
    if (typeof cost !== "function") gate.checkCost(cost);
    if (timeout !== undefined && typeof timeout !== "function") checkDuration("timeout", timeout, 0);
    if (typeof signal !== "function") checkSignal(signal);
    if (onLimit !== undefined && !gate.limits.includes(onLimit))
      throw invalidOption("onLimit", onLimit, `give ${gate.limits.map((limit) => JSON.stringify(limit)).join(" or ")}`);
    return options;
  };
  const wrap = (fn: AnyMethod, { cost = 1, timeout, signal, onLimit = "wait" }: Options): AnyMethod => {
    checkCall("wrap", fn, `give a function. ${STANDARD}`);
    async function wrapped(this: unknown, ...args: unknown[]): Promise<unknown> {
      const end = gate.begin();
      try {
        const of = <Value>(option: PerCall<AnyArguments, Value>): Value =>
          typeof option === "function" ? (option as (...args: AnyArguments) => Value).apply(this, args) : option;
        if (!(await gate.pass(of(cost), { timeout: of(timeout), signal: of(signal), onLimit }))) return undefined;
        return await fn.apply(this, args);
      } finally {
        end();
      }
    }
    Object.defineProperty(wrapped, "name", { value: fn.name, configurable: true });
    return wrapped;
  };
  const either = (first: AnyMethod | Options, second?: Options | { readonly kind: string }): unknown => {
    // A decorator of before the standard is called with a class or its prototype, and a name.
    if (second !== undefined && (typeof second !== "object" || second === null))
      throw invalidOption("options", second, `give { ${[...known].join(", ")} }. ${STANDARD}`);
    if (isPromise(first)) checkCall("wrap", first);
    if (typeof first === "object" && first !== null) {
      const options = check(first);
      return (fn: AnyMethod) => wrap(fn, options);
    }
    // The second argument is options, or the context in which a method is decorated.
    return wrap(first, second && "kind" in second ? {} : check(second ?? {}));
  };
  return either as Wrap<Limit>;
}
