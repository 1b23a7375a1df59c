import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

/** What a request is judged by. */
export interface GuardedRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: IncomingHttpHeaders;
  /** Names and values in turn, as they came: a header that came twice is there twice. */
  readonly rawHeaders: readonly string[];
}

/** Why a request is not served. */
export interface Refusal {
  readonly status: 400 | 401 | 403 | 405 | 421;
  /** Says what is wrong and what to do. */
  readonly message: string;
}

/** 32 random bytes, as they stand in a URL. */
export function newToken(): string {
  return randomBytes(32).toString("base64url");
}

/** The headers of every response. */
export const SAFE_HEADERS: Readonly<Record<string, string>> = {
  "Content-Security-Policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  "Referrer-Policy": "no-referrer",
  "Cache-Control": "no-store",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
};

/**
 * Refuses what a page of another origin, or a name that was bound anew to this address, could have sent. The token
 * comes after it: {@link faultOfToken}.
 * @param port the port that the server listens on
 * @returns undefined where the request may go on
 */
export function faultOfSender(request: GuardedRequest, port: number): Refusal | undefined {
  const { method, url = "", headers, rawHeaders } = request;
  const hosts = valuesOf(rawHeaders, "host");
  const host = hosts[0] ?? "";
  // A page on a name of an attacker that leads to 127.0.0.1 sends that name.
  if (hosts.length !== 1 || !hostsOf(port).includes(host))
    return { status: 421, message: `this is the console of http://127.0.0.1:${port}/; open that address` };
  if (!url.startsWith("/")) return { status: 400, message: "give a path that begins with a slash" };
  const origins = valuesOf(rawHeaders, "origin");
  if (origins.some((origin) => origin !== `http://${host}`))
    return { status: 403, message: "a page of another origin may not use the console" };
  // Another port of this host is of the same site, and of another origin.
  const site = headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin" && site !== "none")
    return {
      status: 403,
      message: "a page of another site may not use the console; paste its address into the address bar",
    };
  if (method !== "GET" && method !== "POST") return { status: 405, message: "the console knows GET and POST alone" };
  return undefined;
}

/**
 * Refuses a request without the token of this console.
 * @param inQuery whether the token may stand in the query, as `?token=`
 * @returns undefined where the request may go on
 */
export function faultOfToken(request: GuardedRequest, token: string, inQuery: boolean): Refusal | undefined {
  const given = givenToken(request, inQuery);
  if (given === undefined)
    return { status: 401, message: "the address has no token; open the address that dt console has printed" };
  if (isSame(given, token)) return undefined;
  return {
    status: 401,
    message:
      "this link is of a console that has ended, or is not complete; open the address that dt console has printed, or start dt console again",
  };
}

/** True where a token stands in the query, be it a good one. */
export function hasToken(request: GuardedRequest): boolean {
  return givenToken(request, true) !== undefined;
}

/** True for the media type `application/json`, which no form of another origin can send. */
export function isJson({ headers }: GuardedRequest): boolean {
  return /^application\/json\s*(;.*)?$/i.test(headers["content-type"] ?? "");
}

function hostsOf(port: number): readonly string[] {
  const names = ["127.0.0.1", "localhost"];
  // Browsers leave the port of http out.
  return names.flatMap((name) => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`]));
}

function givenToken({ headers, url = "" }: GuardedRequest, inQuery: boolean): string | undefined {
  const [, bearer] = /^Bearer (\S+)$/i.exec(headers.authorization ?? "") ?? [];
  if (bearer !== undefined || !inQuery) return bearer;
  const [, query = ""] = /\?([^#]*)/.exec(url) ?? [];
  return new URLSearchParams(query).get("token") || undefined;
}

/** In a time that says nothing of where they differ, nor of how long they are. */
function isSame(given: string, token: string): boolean {
  const [left, right] = [given, token].map((text) => createHash("sha256").update(text).digest());
  return timingSafeEqual(left as Buffer, right as Buffer);
}

function valuesOf(rawHeaders: readonly string[], name: string): readonly string[] {
  return rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === name);
}
