/** What a limit is told of a request, the same from every server: what keys, costs and priorities are read from. */
export interface RequestFacts<Raw = unknown> {
  /** The request's method, such as `GET`. */
  readonly method: string;
  /** What was asked for: path and query, or a whole address where the server says that. */
  readonly url: string;
  /**
   * Who asks: the address of the connection, or what a framework makes of it that trusts its proxy; "" for a
   * connection without one (a Unix socket), so that all of these are counted together.
   * @throws DtError `DT_INVALID_OPTION` when it is read and `limit.fetch` was not told where to find it
   */
  readonly address: string;
  /** The request as the server hands it out. */
  readonly raw: Raw;
  /**
   * One header by its lower-case name; undefined where it is missing.
   * @param name the header's name
   */
  header(name: string): string | undefined;
}

/** A value, or a function of the request that gives it. */
export type PerRequest<Raw, Value> = Value | ((request: RequestFacts<Raw>) => Value);

/** The value for one request. */
export function valueFor<Raw, Value extends number | string | undefined>(
  value: PerRequest<Raw, Value>,
  request: RequestFacts<Raw>,
): Value {
  return typeof value === "function" ? value(request) : value;
}
