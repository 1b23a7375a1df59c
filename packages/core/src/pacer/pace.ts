import { DtError } from "../errors/dt-error.ts";
import { checkKeys, invalidOption } from "../kit/check.ts";
import type { AnyMethod, Wrapped } from "../kit/wrap.ts";

/** What a paced function does when no permit is free. */
export type OnLimit = "wait" | "skip" | "throw";

/** Options of `pacer.throttle`. */
export interface PaceOptions<Limit extends OnLimit = OnLimit> {
  /** Default `"wait"`. */
  readonly onLimit?: Limit;
  /** What each call costs, in units of `every`; default 1. */
  readonly cost?: number;
}

const STANDARD = "As a decorator it is a standard one: turn experimentalDecorators off";
const GIVE = `give a function. ${STANDARD}`;

const PACE_OPTIONS: ReadonlySet<string> = new Set<keyof PaceOptions>(["onLimit", "cost"]);

type Method<This, Args extends unknown[], Result> = (this: This, ...args: Args) => Promise<Result>;
type Decorator<Skips> = <This, Args extends unknown[], Result>(
  method: Method<This, Args, Result>,
  context: ClassMethodDecoratorContext<This, Method<This, Args, Result>>,
) => Method<This, Args, Result | Skips>;

/** Wraps a function, decorates a method (TC39 decorators), or with options alone gives such a decorator. */
export interface Pace {
  <F extends AnyMethod>(fn: F): Wrapped<F>;
  <F extends AnyMethod>(fn: F, options: PaceOptions<"wait" | "throw">): Wrapped<F>;
  <F extends AnyMethod>(
    fn: F,
    options: PaceOptions,
  ): (this: ThisParameterType<F>, ...args: Parameters<F>) => Promise<Awaited<ReturnType<F>> | undefined>;
  <This, Args extends unknown[], Result>(
    method: Method<This, Args, Result>,
    context: ClassMethodDecoratorContext<This, Method<This, Args, Result>>,
  ): Method<This, Args, Result>;
  (options: PaceOptions<"wait" | "throw">): Decorator<never>;
  (options: PaceOptions): Decorator<undefined>;
}

interface Permits {
  /** @throws DtError `DT_INVALID_OPTION` */
  checkCost(cost: number): number;
  /** Waits for a permit. */
  acquire(cost: number): Promise<void>;
  /** Takes a free permit: undefined; or says after how many milliseconds one is due. */
  attempt(cost: number): Promise<number | undefined>;
}

/** The wrapper of one pacer. */
export function paceWith(permits: Permits): Pace {
  const wrap = (fn: AnyMethod, options: PaceOptions): AnyMethod => {
    const { onLimit = "wait", cost = 1 } = options;
    if (typeof fn !== "function") throw invalidOption("throttle", fn, GIVE);
    async function paced(this: unknown, ...args: unknown[]): Promise<unknown> {
      const retryAfterMs = onLimit === "wait" ? await permits.acquire(cost) : await permits.attempt(cost);
      if (retryAfterMs === undefined) return fn.apply(this, args);
      if (onLimit === "skip") return undefined;
      throw new DtError("DT_LIMITED", `no permit is free; the next is due in ${Math.ceil(retryAfterMs)} ms`, {
        retryAfterMs,
      });
    }
    Object.defineProperty(paced, "name", { value: fn.name, configurable: true });
    return paced;
  };
  const pace = (first: AnyMethod | PaceOptions, second?: PaceOptions | { readonly kind: string }): unknown => {
    if (first === undefined) throw invalidOption("throttle", first, GIVE);
    // A decorator of before the standard is called with a class or its prototype, and a name.
    if (second !== undefined && (typeof second !== "object" || second === null))
      throw invalidOption("options", second, `give { onLimit, cost }. ${STANDARD}`);
    if (typeof first !== "function") {
      const options = checkPaceOptions(first, permits);
      return (fn: AnyMethod) => wrap(fn, options);
    }
    // The second argument is options, or the context in which a method is decorated.
    return wrap(first, second && "kind" in second ? {} : checkPaceOptions(second ?? {}, permits));
  };
  return pace as Pace;
}

function checkPaceOptions(options: PaceOptions, permits: Permits): PaceOptions {
  checkKeys("options", options, PACE_OPTIONS);
  const { onLimit = "wait", cost = 1 } = options;
  if (!["wait", "skip", "throw"].includes(onLimit))
    throw invalidOption("onLimit", onLimit, 'give "wait", "skip" or "throw"');
  permits.checkCost(cost);
  return options;
}
