import type { IncomingMessage, ServerResponse } from "node:http";
import { isDtError } from "@dt/core";
import { UsageError } from "../exit-code.ts";
import type { FleetReport, LimiterReport } from "../fleet/report.ts";
import type { EventStreams } from "./events.ts";
import { faultOfToken, hasToken, isJson, type Refusal, SAFE_HEADERS } from "./guard.ts";
import { parseOrder } from "./limit-order.ts";
import type { LimitChanged, LimitOrder, LimitPreview } from "./protocol.ts";
import { BodyTooLarge, readBody } from "./request-body.ts";
import type { ServedFile, ServedFiles } from "./served-files.ts";

/** The most members of a limiter in an answer: what is beyond them was claimed by a damaged or hostile store. */
const MOST_MEMBERS = 5_000;

/** What the routes answer with. */
export interface Routes {
  readonly token: string;
  /** Whether limits may be changed: `--write`. */
  readonly writes: boolean;
  readonly files: ServedFiles;
  readonly streams: EventStreams;
  /** The JSON of a {@link Hello}. */
  hello(): string;
  /** A page has opened. */
  opened(): void;
  /** The last report. */
  report(): FleetReport | undefined;
  preview(order: LimitOrder): Promise<LimitPreview>;
  change(order: LimitOrder): Promise<LimitChanged>;
  /** An error as it may be shown. */
  textOf(error: unknown): string;
}

/** A response that is sent at once. */
export interface Reply {
  readonly status: number;
  readonly type: string;
  readonly body: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Answers a request whose sender was found to be good. */
export async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  routes: Routes,
): Promise<Reply | "streams"> {
  const { method, url = "/" } = request;
  const [path = "/"] = url.split(/[?#]/, 1);
  const file = routes.files.get(path);
  if (file !== undefined) return served(request, file, routes);
  const fault = faultOfToken(request, routes.token, path === "/api/events");
  if (fault !== undefined) return refusalOf(request, fault);
  const route = ROUTES.get(path);
  if (route === undefined) return failed(404, "the console has nothing of this name");
  if (route.method !== method) return failed(405, `give ${route.method}`, { Allow: route.method });
  return route.serve(request, response, routes);
}

/**
 * Files are the same for everybody and tell nothing of a fleet, so that they need no token: a tag in the page has none,
 * nor has the page when it is loaded again, since it takes the token out of the address bar. A link of a console that
 * has ended is refused, with what to do.
 */
function served(request: IncomingMessage, { type, bytes }: ServedFile, { token }: Routes): Reply {
  if (request.method !== "GET") return failed(405, "give GET", { Allow: "GET" });
  const fault = hasToken(request) ? faultOfToken(request, token, true) : undefined;
  return fault ? refusalOf(request, fault) : { status: 200, type, body: bytes };
}

/** A refusal, as a page for what a person opened and as JSON for the rest. */
export function refusalOf({ url = "/" }: IncomingMessage, { status, message }: Refusal): Reply {
  if (url.startsWith("/api/")) return failed(status, message);
  const text = `${message[0]?.toUpperCase()}${message.slice(1)}.`;
  return {
    status,
    type: "text/html; charset=utf-8",
    body: `<!doctype html><html lang="en"><meta charset="utf-8"><title>dt console</title><h1>dt console</h1><p>${text}</p></html>\n`,
  };
}

interface Route {
  readonly method: "GET" | "POST";
  serve(request: IncomingMessage, response: ServerResponse, routes: Routes): Promise<Reply | "streams">;
}

const ROUTES: ReadonlyMap<string, Route> = new Map<string, Route>([
  ["/api/events", { method: "GET", serve: events }],
  ["/api/limiter", { method: "GET", serve: limiter }],
  ["/api/limit/preview", { method: "POST", serve: (request, _, routes) => order(request, routes, routes.preview) }],
  ["/api/limit", { method: "POST", serve: change }],
]);

async function events(_: IncomingMessage, response: ServerResponse, routes: Routes): Promise<Reply | "streams"> {
  if (!routes.streams.open(response, SAFE_HEADERS, routes.hello()))
    return failed(503, "too many pages of the console are open; close some", { "Retry-After": "5" });
  routes.opened();
  return "streams";
}

async function limiter({ url = "" }: IncomingMessage, _: ServerResponse, routes: Routes): Promise<Reply> {
  const query = new URLSearchParams(url.slice(url.indexOf("?") + 1));
  const [kind, name] = [query.get("kind"), query.get("name")];
  const found = routes.report()?.limiters.find((each) => each.kind === kind && each.name === name);
  if (found === undefined) return failed(404, "the store keeps nothing of a limiter of this kind and name");
  const { members, ...rest } = found;
  return json({ ...rest, ...(members && { members: members.slice(0, MOST_MEMBERS) }) } satisfies LimiterReport);
}

async function change(request: IncomingMessage, _: ServerResponse, routes: Routes): Promise<Reply> {
  if (routes.writes) return order(request, routes, routes.change);
  return failed(403, "this console only reads; start it with --write to change limits");
}

async function order(
  request: IncomingMessage,
  routes: Routes,
  serve: (order: LimitOrder) => Promise<object>,
): Promise<Reply> {
  // Forms of another origin send text/plain and the like without asking first; JSON they cannot.
  if (!isJson(request)) return failed(415, "the body is not application/json; send it with that Content-Type");
  try {
    return json(await serve(parseOrder(await readBody(request))));
  } catch (error) {
    if (error instanceof BodyTooLarge) return failed(413, error.message);
    if (error instanceof UsageError || isDtError(error, "DT_INVALID_OPTION")) return failed(400, routes.textOf(error));
    if (isDtError(error)) return failed(502, routes.textOf(error));
    throw error;
  }
}

function json(value: object): Reply {
  return { status: 200, type: "application/json", body: JSON.stringify(value) };
}

function failed(status: number, error: string, headers: Readonly<Record<string, string>> = {}): Reply {
  return { status, type: "application/json", body: JSON.stringify({ error }), headers };
}
