import type { AcquireOptions } from "./acquire-options.ts";
import type { RunOptions, WhenLimited } from "./run.ts";

/** Any function or method. */
// biome-ignore lint/suspicious/noExplicitAny: the parameters of any function are the one thing that `unknown[]` cannot stand for.
export type AnyMethod = (this: any, ...args: any[]) => unknown;

// biome-ignore lint/suspicious/noExplicitAny: as above.
type AnyArguments = any[];

/** A value, or a function of a call's arguments (and its `this`) that gives it. */
type PerCall<Args extends unknown[], Value> = Value | ((...args: Args) => Value);

/** Options of `wrap`: those of `run`, as values or as functions of the call's arguments. `whenLimited` and the options
 * in `Fixed` are the same for every call. */
export type WrapOptions<
  Args extends unknown[] = AnyArguments,
  Cost = number,
  Options extends object = AcquireOptions,
  When extends WhenLimited = WhenLimited,
  Fixed extends object = object,
> = {
  readonly [Name in Exclude<keyof RunOptions<Cost, Options, When>, "whenLimited">]?:
    | PerCall<Args, Name extends "cost" ? Cost : RunOptions<Cost, Options, When>[Name]>
    | undefined;
} & Pick<RunOptions<Cost, Options, When>, "whenLimited"> &
  Fixed;

/** The same function, but each call waits to be admitted and so returns a promise. */
export type Promised<F extends AnyMethod, NotCalled = never> = (
  this: ThisParameterType<F>,
  ...args: Parameters<F>
) => Promise<Awaited<ReturnType<F>> | NotCalled>;

/**
 * The type of a wrapped function. A function that returns a promise keeps its type exactly: generics, overloads, `this`
 * and properties. Any other function becomes `(...args) => Promise<Result>`; of its overloads the last one counts.
 */
export type Wrapped<F extends AnyMethod> =
  ReturnType<F> extends Promise<infer Result> ? (Promise<Result> extends ReturnType<F> ? F : Promised<F>) : Promised<F>;

type Method<This, Args extends unknown[], Result> = (this: This, ...args: Args) => Promise<Result>;

type Decorator<Options extends AnyArguments, NotCalled = never> = <This, Args extends Options, Result>(
  method: Method<This, Args, Result>,
  context: ClassMethodDecoratorContext<This, Method<This, Args, Result>>,
) => Method<This, Args, Result | NotCalled>;

/** Options with which a call may resolve to undefined without being made. */
type Skips<Options> = Options & { readonly whenLimited: "skip" };

/** Options with which the function is called, or the call rejects. */
type Calls<Options, When extends WhenLimited> = Options & {
  readonly whenLimited?: Exclude<When, "skip"> | undefined;
};

/** Wraps a function, or decorates a method. */
export interface Wrap<
  Cost = number,
  Options extends object = AcquireOptions,
  When extends WhenLimited = WhenLimited,
  Fixed extends object = object,
> {
  /**
   * Turns a function into one whose calls are admitted first. Each call settles as the function does. With
   * `whenLimited: "skip"` a call that was not made resolves to undefined; without it, such a call always rejects.
   *
   * A function that returns a promise keeps its type. Any other becomes `(...args) => Promise<Result>`; of its
   * overloads the last one counts. With options alone, or before a method, it is a standard decorator (TC39).
   * @param fn the function, or the method that is decorated
   * @param options what a call costs, how it waits, and what happens when it is limited
   * @throws DtError `DT_INVALID_OPTION`; each call rejects with what `acquire` rejects with, and with `DT_LIMITED` with
   *   `whenLimited: "throw"`
   * @example const send = limiter.wrap(sendMail, { cost: (mail) => mail.to.length, timeout: "5s" })
   */
  <F extends AnyMethod>(
    fn: F,
    options: Skips<WrapOptions<Parameters<F>, Cost, Options, When, Fixed>>,
  ): Promised<F, undefined>;
  /** Turns a function into one whose calls are admitted first. */
  <F extends AnyMethod>(
    fn: F,
    options?: Calls<WrapOptions<Parameters<F>, Cost, Options, When, Fixed>, When>,
  ): Wrapped<F>;
  /** Turns a function into one whose calls are admitted first; options that may skip calls. */
  <F extends AnyMethod>(fn: F, options: WrapOptions<Parameters<F>, Cost, Options, When, Fixed>): Promised<F, undefined>;
  /** Decorates a method that returns a promise: `@limiter.wrap`. */
  <This, Args extends unknown[], Result>(
    method: Method<This, Args, Result>,
    context: ClassMethodDecoratorContext<This, Method<This, Args, Result>>,
  ): Method<This, Args, Result>;
  /** Makes a decorator: `@limiter.wrap({ cost: 2 })`. */
  <Args extends AnyArguments>(
    options: Skips<WrapOptions<Args, Cost, Options, When, Fixed>>,
  ): Decorator<Args, undefined>;
  /** Makes a decorator: `@limiter.wrap({ cost: 2 })`. */
  <Args extends AnyArguments>(options: Calls<WrapOptions<Args, Cost, Options, When, Fixed>, When>): Decorator<Args>;
  /** Makes a decorator; options that may skip calls. */
  <Args extends AnyArguments>(options: WrapOptions<Args, Cost, Options, When, Fixed>): Decorator<Args, undefined>;
}
