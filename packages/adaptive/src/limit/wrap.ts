import type { Duration, WithoutTimeout } from "@dt/core";
import { type AnyMethod, checkCall, checkKeys, invalidOption, isPromise, type Wrapped } from "@dt/core/internal";
import type { Rule } from "../outcome/classify.ts";
import { checkClassifier } from "../outcome/default-classifier.ts";
import { runCall } from "../outcome/run.ts";
import type { SlotOptions } from "./options.ts";
import type { Slot } from "./slot.ts";

// biome-ignore lint/suspicious/noExplicitAny: the parameters of any function are the one thing that `unknown[]` cannot stand for.
type AnyArguments = any[];

/** A value, or a function of a call's arguments (and its `this`) that gives it. */
type PerCall<Args extends unknown[], Value> = Value | ((...args: Args) => Value);

/** Options of `wrap`: those of `acquire`, as values or functions of the call's arguments. */
export interface LimitWrapOptions<Args extends unknown[] = AnyArguments> {
  /** What a call weighs, > 0. Default 1. */
  readonly cost?: PerCall<Args, number>;
  /** How important it is: a whole number from -9 to 9, default 0. */
  readonly priority?: PerCall<Args, number>;
  /** The partition it counts in, by name. */
  readonly partition?: PerCall<Args, string | undefined>;
  /** A call that has waited so long resolves to undefined, and the function is not called. */
  readonly timeout?: PerCall<Args, Duration | undefined>;
  /**
   * Aborting it while the call waits rejects the call with the signal's reason. The function itself has to look after
   * its own.
   */
  readonly signal?: PerCall<Args, AbortSignal | undefined>;
  /**
   * Says what it means how a call ended: a classifier, or a single rule. Default: `classify`, which knows the answers
   * of fetch and HTTP clients, gRPC, AWS and Node.
   */
  readonly classify?: Rule;
}

/** Options with which each call may resolve to undefined. */
type Timed<Args extends unknown[]> = LimitWrapOptions<Args> & {
  readonly timeout: PerCall<Args, Duration | undefined>;
};

type Sure<Args extends unknown[]> = WithoutTimeout<LimitWrapOptions<Args>>;

type Method<This, Args extends unknown[], Result> = (this: This, ...args: Args) => Promise<Result>;

type Decorator<Options extends AnyArguments, NotCalled = never> = <This, Args extends Options, Result>(
  method: Method<This, Args, Result>,
  context: ClassMethodDecoratorContext<This, Method<This, Args, Result>>,
) => Method<This, Args, Result | NotCalled>;

/**
 * Wraps a function, decorates a method that returns a promise (TC39 decorators), or with options alone gives such a
 * decorator.
 */
export interface LimitWrap {
  <F extends AnyMethod>(fn: F, options: Timed<Parameters<F>>): Wrapped<F, undefined>;
  <F extends AnyMethod>(fn: F, options?: Sure<Parameters<F>>): Wrapped<F>;
  <F extends AnyMethod>(fn: F, options: LimitWrapOptions<Parameters<F>>): Wrapped<F, undefined>;
  <This, Args extends unknown[], Result>(
    method: Method<This, Args, Result>,
    context: ClassMethodDecoratorContext<This, Method<This, Args, Result>>,
  ): Method<This, Args, Result>;
  <Options extends AnyArguments>(options: Timed<Options>): Decorator<Options, undefined>;
  <Options extends AnyArguments>(options: Sure<Options>): Decorator<Options>;
  <Options extends AnyArguments>(options: LimitWrapOptions<Options>): Decorator<Options, undefined>;
}

/** What wrapped calls have to pass. */
export interface SlotGate {
  /** @throws DtError `DT_INVALID_OPTION` where no call could be made with this */
  check(options: SlotOptions): void;
  acquire(options: SlotOptions | undefined): Promise<Slot | undefined>;
}

const WAITS = ["cost", "priority", "partition", "timeout", "signal"] as const satisfies (keyof SlotOptions)[];
const KNOWN: ReadonlySet<string> = new Set<keyof LimitWrapOptions>([...WAITS, "classify"]);
const STANDARD = "As a decorator it is a standard one: turn experimentalDecorators off";

/** The wrapper of one concurrency limit: a slot first, then the call, then how it ended. */
export function wrapWithSlots(gate: SlotGate): LimitWrap {
  const check = (options: LimitWrapOptions): LimitWrapOptions => {
    checkKeys("options", options, KNOWN);
    const values = WAITS.filter((name) => typeof options[name] !== "function").map((name) => [name, options[name]]);
    gate.check(Object.fromEntries(values));
    checkClassifier(options.classify);
    return options;
  };
  const wrap = (fn: AnyMethod, options: LimitWrapOptions): AnyMethod => {
    checkCall("wrap", fn, `give a function. ${STANDARD}`);
    const classify = checkClassifier(options.classify);
    const given = WAITS.filter((name) => options[name] !== undefined);
    async function wrapped(this: unknown, ...args: unknown[]): Promise<unknown> {
      const of = (name: (typeof WAITS)[number]): unknown => {
        const option: unknown = options[name];
        return typeof option === "function" ? option.apply(this, args) : option;
      };
      // Without options it goes the short way.
      const slot = await gate.acquire(
        given.length === 0 ? undefined : (Object.fromEntries(given.map((name) => [name, of(name)])) as SlotOptions),
      );
      return (
        slot &&
        runCall(
          ({ outcome, report }) => slot.settle(outcome, report),
          classify,
          () => fn.apply(this, args),
        )
      );
    }
    Object.defineProperty(wrapped, "name", { value: fn.name, configurable: true });
    return wrapped;
  };
  const either = (
    first: AnyMethod | LimitWrapOptions,
    second?: LimitWrapOptions | { readonly kind: string },
  ): unknown => {
    // A decorator of before the standard is called with a class or its prototype, and a name.
    if (second !== undefined && (typeof second !== "object" || second === null))
      throw invalidOption("options", second, `give { ${[...KNOWN].join(", ")} }. ${STANDARD}`);
    if (isPromise(first)) checkCall("wrap", first);
    if (typeof first === "object" && first !== null) {
      const options = check(first);
      return (fn: AnyMethod) => wrap(fn, options);
    }
    // The second argument is options, or the context in which a method is decorated.
    return wrap(first, second && "kind" in second ? {} : check(second ?? {}));
  };
  return either as LimitWrap;
}
