import { Events } from "@dt/core/internal";

/** The events of an HTTP client. Each is published as well: docs/events.md has the channels. */
export interface HttpClientEvents {
  /**
   * A callee reported that nothing should be sent for `askedMs`. Nothing is sent for `forMs`, which is `maxPause` at
   * most. `by` is the source: a field, your `readAnswer` or `classify`, or a refusal without a readable time.
   */
  readonly paused: {
    readonly callee: string;
    readonly by: "retry-after" | "ratelimit" | "readAnswer" | "classify" | "refusal";
    readonly askedMs: number;
    readonly forMs: number;
    readonly status: number;
  };
  /** A field of an answer made no sense, and was ignored. */
  readonly malformed: { readonly callee: string; readonly field: string };
}

/** The events of one client. */
export function httpClientEvents(name: string): Events<HttpClientEvents> {
  return new Events<HttpClientEvents>("http", { paused: true, malformed: true }, { name });
}
