import type { LimiterReport } from "../../fleet/report.ts";
import type { LimiterKind } from "../../stores/limiter-kinds.ts";
import type { LimitOrder, LimitPreview } from "../protocol.ts";

/** What the console answers when asked. Every failure is an Error whose message is for people. */
export interface Api {
  /** A limiter with all of its members, or its busiest keys. */
  limiter(kind: LimiterKind, name: string, signal: AbortSignal): Promise<LimiterReport>;
  /** What would follow of a change; changes nothing. */
  preview(order: LimitOrder): Promise<LimitPreview>;
  /** Changes a limit; resolves with the limit as text. */
  change(order: LimitOrder): Promise<string>;
  /** `refused` where the console does not know the token, `away` where it does not answer. */
  probe(): Promise<"known" | "refused" | "away">;
}

/** The address of the live events. An EventSource cannot have headers, so the token is in it. */
export function eventsUrl(token: string): string {
  return `api/events?token=${encodeURIComponent(token)}`;
}

/** The requests of this page, with its token. */
export function apiOf(token: string): Api {
  const headers = { authorization: `Bearer ${token}` };
  const post = (path: string, order: LimitOrder) =>
    fetch(path, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify(order),
    });
  return {
    limiter: async (kind, name, signal) => {
      const query = new URLSearchParams({ kind, name });
      return (await checked(await fetch(`api/limiter?${query}`, { headers, signal }))).json();
    },
    preview: async (order) => (await checked(await post("api/limit/preview", order))).json(),
    change: async (order) => textIn(await (await checked(await post("api/limit", order))).text()),
    probe: async () => {
      try {
        // Names no limiter: the answer says whether the token is known, and reads nothing.
        const { status } = await fetch("api/limiter", { headers });
        return status === 401 || status === 403 ? "refused" : "known";
      } catch {
        return "away";
      }
    },
  };
}

async function checked(response: Response): Promise<Response> {
  if (response.ok) return response;
  const text = await response.text();
  throw new Error(errorIn(text) ?? `the console answered ${response.status}: ${text.slice(0, 200)}`);
}

function errorIn(text: string): string | undefined {
  const { error } = objectIn(text);
  return typeof error === "string" ? error : undefined;
}

/** The answer is a text, or JSON that has one. */
function textIn(body: string): string {
  const { text, limit } = objectIn(body);
  if (typeof text === "string") return text;
  return typeof limit === "string" ? limit : body;
}

function objectIn(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : { text: value };
  } catch {
    return {};
  }
}
