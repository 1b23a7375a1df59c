import { Agent, request, fetch as undiciFetch } from "undici";
import { Agent as Agent8, request as request8 } from "undici8";
import type { HttpClient } from "../../src/index.ts";
import { atEnd } from "./serving.ts";

/** What a test sends. */
export interface Sent {
  readonly method?: string;
  readonly body?: string;
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
}

/** An answer, whoever brought it. */
export interface Answer {
  readonly status: number;
  text(): Promise<string>;
}

export type Send = (url: string, sent?: Sent) => Promise<Answer>;

/** Every way in which requests go through a client. */
export const senders: Readonly<Record<string, (client: HttpClient) => Send>> = {
  fetch: (client) => (url, sent) => client.fetch(url, sent),
  "undici 7": (client) => {
    const agent = new Agent();
    atEnd(() => agent.destroy());
    const dispatcher = agent.compose(client.interceptor);
    return async (url, { method = "GET", ...sent } = {}) => {
      const { statusCode, body } = await request(url, { ...sent, method, dispatcher });
      return { status: statusCode, text: () => body.text() };
    };
  },
  "undici 8": (client) => {
    const agent = new Agent8();
    atEnd(() => agent.destroy());
    const dispatcher = agent.compose(client.interceptor);
    return async (url, { method = "GET", ...sent } = {}) => {
      const { statusCode, body } = await request8(url, { ...sent, method, dispatcher });
      return { status: statusCode, text: () => body.text() };
    };
  },
  "fetch of undici 7": (client) => {
    const agent = new Agent();
    atEnd(() => agent.destroy());
    const dispatcher = agent.compose(client.interceptor);
    return (url, sent = {}) => undiciFetch(url, { ...sent, dispatcher });
  },
};
