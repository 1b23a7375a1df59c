import { packageName } from "../errors/scope.ts";

/** The same in every copy of core. */
const READ: unique symbol = Symbol.for(packageName("core/read-for-metrics"));

type Read = () => object;

/**
 * Gives the objects of a class a second way to be read, for metrics. Who reads `status()` of a throttle may want to
 * know why there are no tokens: from then on the throttle asks the store who fell silent, whenever it holds nothing.
 * Metrics have no use for that answer, and read all the time.
 * @param prototype the class's
 * @param read reads one of its objects
 */
export function readForMetrics<T extends object>(prototype: T, read: (source: T) => object): void {
  Object.defineProperty(prototype, READ, {
    value(this: T) {
      return read(this);
    },
  });
}

/** How metrics read an object, where it has a way of its own for them. */
export function metricsReadOf(source: object): Read | undefined {
  const { [READ]: read } = source as { readonly [READ]?: Read };
  return read && (() => read.call(source));
}
