export type { CalleeStatus } from "./client/callee.ts";
export type { HttpClientEvents } from "./client/events.ts";
export { createHttpClient, HttpClient } from "./client/http-client.ts";
export type { HttpClientOptions, OutgoingRequest, PerCallee } from "./client/options.ts";
export type { Dispatch, Interceptor } from "./client/undici.ts";
