/** A way to make a request, and what it stands for. */
export interface HttpCandidate {
  readonly name: string;
  readonly configuration: string;
  /** The name of the one it is compared with. */
  readonly beside: string;
  /** The path that is asked for: `/plain`, or `/fields`, whose answers say what is left. */
  readonly path: "/plain" | "/fields";
  prepare(url: string): Promise<Prepared>;
}

/** One request, its body read, and what ends it all. */
export interface Prepared {
  request(): Promise<number>;
  close(): unknown;
}

/** Connections of each candidate, and room of each limit. */
const CONNECTIONS = 32;

/** What goes before undici's own dispatcher, if anything. */
type Layer = (undici: typeof import("undici")) => Promise<import("undici").Dispatcher.DispatcherComposeInterceptor>;

function ofUndici(name: string, configuration: string, path: HttpCandidate["path"], layer?: Layer): HttpCandidate {
  const prepare = async (url: string): Promise<Prepared> => {
    const undici = await import("undici");
    const agent = new undici.Agent({ connections: CONNECTIONS });
    const dispatcher = layer ? agent.compose(await layer(undici)) : agent;
    const request = async (): Promise<number> => {
      const { statusCode, body } = await undici.request(url + path, { dispatcher });
      await body.text();
      return statusCode;
    };
    return { request, close: () => agent.destroy() };
  };
  return { name, configuration, beside: "undici request", path, prepare };
}

function ofFetch(
  name: string,
  configuration: string,
  path: HttpCandidate["path"],
  wrapper?: () => Promise<typeof fetch>,
): HttpCandidate {
  const prepare = async (url: string): Promise<Prepared> => {
    const send = wrapper ? await wrapper() : fetch;
    const request = async (): Promise<number> => {
      const response = await send(url + path);
      await response.text();
      return response.status;
    };
    return { request, close: () => undefined };
  };
  return { name, configuration, beside: "fetch", path, prepare };
}

async function client(limited: boolean): Promise<import("@dt/http").HttpClient> {
  const { createHttpClient } = await import("@dt/http");
  const { createConcurrencyLimit, fixed } = await import("@dt/adaptive");
  return createHttpClient(limited ? { limit: createConcurrencyLimit({ algorithm: fixed(CONNECTIONS) }) } : {});
}

const ALL = "pauses, turns, retries, timeouts of head and body, slots until the end of the body";

/** Each is compared with the one that it is put around. */
export const httpCandidates: readonly HttpCandidate[] = [
  ofUndici("undici request", `undici's Agent with ${CONNECTIONS} connections`, "/plain"),
  ofUndici("undici + its own retry", "interceptors.retry() of undici", "/plain", async ({ interceptors }) =>
    interceptors.retry(),
  ),
  ofUndici("undici + @dt/http", `client.interceptor: ${ALL}`, "/plain", async () => (await client(false)).interceptor),
  ofUndici(
    "undici + @dt/http, fields",
    "the same; each answer reports what is left of the limit, and is read",
    "/fields",
    async () => (await client(false)).interceptor,
  ),
  ofUndici(
    "undici + @dt/http, limit",
    `the same with a limit, fixed(${CONNECTIONS})`,
    "/plain",
    async () => (await client(true)).interceptor,
  ),
  ofFetch("fetch", "Node's own", "/plain"),
  ofFetch("@dt/http fetch", `client.fetch: ${ALL}`, "/plain", async () => (await client(false)).fetch),
  ofFetch(
    "@dt/http fetch, fields",
    "the same; each answer reports what is left of the limit, and is read",
    "/fields",
    async () => (await client(false)).fetch,
  ),
  ofFetch(
    "@dt/http fetch, limit",
    `the same with a limit, fixed(${CONNECTIONS})`,
    "/plain",
    async () => (await client(true)).fetch,
  ),
];
