/** The facts of a request, the same from every server: keys, costs and priorities are read from them. */
export interface RequestFacts<Raw = unknown> {
  /** The request's method, such as `GET`. */
  readonly method: string;
  /** What was asked for: path and query, or a whole address where the server has that. */
  readonly url: string;
  /**
   * The address of the client: that of the connection, or the one that a framework finds behind a trusted proxy. It is
   * "" for a connection without one (a Unix socket): all of these are counted together.
   * @throws DtError `DT_INVALID_OPTION` when it is read and `limit.fetch` has no option that finds it
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
