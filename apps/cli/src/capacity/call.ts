import { Agent as HttpAgent, request as httpRequest } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { classify, type Outcome } from "@dt/adaptive";
import type { Target } from "./target.ts";

/** Makes calls; `close` ends its connections. */
export interface Caller {
  call(signal: AbortSignal): Promise<Outcome>;
  close(): void;
}

/** Calls over connections that are kept: a new one for each call would measure handshakes. */
export function callerOf({ url, method, headers, body, timeoutMs }: Target): Caller {
  const secure = url.protocol === "https:";
  const agent = secure ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true });
  const request = secure ? httpsRequest : httpRequest;
  const call = (signal: AbortSignal): Promise<Outcome> =>
    new Promise((resolve) => {
      const sent = request(url, { method, headers, agent, signal, timeout: timeoutMs });
      const late = setTimeout(() => sent.destroy(new DOMException("no answer in time", "TimeoutError")), timeoutMs);
      const end = (outcome: Outcome): void => {
        clearTimeout(late);
        resolve(outcome);
      };
      sent.on("response", (answer) => {
        answer.resume();
        answer.on("end", () =>
          end(classify({ value: { status: answer.statusCode ?? 0, headers: answer.headers } }).outcome),
        );
        answer.on("error", (error) => end(classify({ error }).outcome));
      });
      sent.on("error", (error) => end(signal.aborted ? "ignored" : classify({ error }).outcome));
      sent.end(body);
    });
  return { call, close: () => agent.destroy() };
}
