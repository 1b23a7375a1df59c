import type { Refusal } from "./standing.ts";

const TYPES = "https://iana.org/assignments/http-problem-types#";

/** What a refused request is answered with. */
export interface Problem {
  readonly status: 429 | 503;
  /** `application/problem+json`. */
  readonly body: string;
}

/** The problem types are those of the IETF's draft on RateLimit fields; what they look like is RFC 9457. */
export function problemOf({ cause, violated }: Refusal): Problem {
  const status = cause === "quota" ? 429 : 503;
  const type = cause === "quota" ? "quota-exceeded" : "temporary-reduced-capacity";
  const title =
    cause === "quota"
      ? "Request cannot be satisfied as assigned quota has been exceeded"
      : "Request cannot be satisfied due to temporary server capacity constraints";
  return { status, body: JSON.stringify({ type: TYPES + type, title, status, "violated-policies": violated }) };
}
