import type { LimiterReport } from "../../fleet/report.ts";
import type { LimiterKind } from "../../stores/limiter-kinds.ts";
import type { LimitChanged, LimitOrder, LimitPreview } from "../protocol.ts";

/** What the console answers when asked. Every failure is an Error whose message is for people. */
export interface Api {
  /** A limiter with all of its members, or its busiest keys. */
  limiter(kind: LimiterKind, name: string, signal: AbortSignal): Promise<LimiterReport>;
  /** What would follow of a change; changes nothing. */
  preview(order: LimitOrder): Promise<LimitPreview>;
  /** Changes a limit. */
  change(order: LimitOrder): Promise<LimitChanged>;
  /** Whether there would be events, and why not. */
  probe(): Promise<Probed>;
}

/**
 * - `ready`: there would be events.
 * - `refused`: the console does not know the token.
 * - `busy`: it knows it, and sends no events now.
 * - `away`: it does not answer.
 */
export interface Probed {
  readonly result: "ready" | "refused" | "busy" | "away";
  /** What the console said. */
  readonly reason?: string | undefined;
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
    change: async (order) => (await checked(await post("api/limit", order))).json(),
    probe: async () => {
      const controller = new AbortController();
      try {
        const response = await fetch("api/events", { headers, signal: controller.signal });
        if (response.ok) return { result: "ready" };
        const reason = errorIn(await response.text());
        return { result: response.status === 401 || response.status === 403 ? "refused" : "busy", reason };
      } catch {
        return { result: "away" };
      } finally {
        controller.abort();
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
  try {
    const { error } = Object(JSON.parse(text)) as { error?: unknown };
    return typeof error === "string" ? error : undefined;
  } catch {
    return undefined;
  }
}
