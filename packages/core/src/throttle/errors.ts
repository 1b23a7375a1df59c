import { DtError } from "../errors/dt-error.ts";
import { describe } from "../internal/duration.ts";
import type { BlockedBy } from "./status.ts";

/** What was not granted: how many tokens of which throttle, and why. */
export interface NotGranted {
  readonly name: string;
  readonly tokens: number;
  readonly blocked: BlockedBy | undefined;
}

/** A call's time was up. */
export function timeoutError(notGranted: NotGranted, timeoutMs: number): DtError {
  const time = timeoutMs === 0 ? "at once, as timeout 0 demands" : `within ${timeoutMs} ms`;
  return new DtError("DT_TIMEOUT", `${whatOf(notGranted)} not granted ${time}${whyOf(notGranted)}`, {
    retryAfterMs: notGranted.blocked?.endsInMs,
  });
}

/** A call does not wait, and its tokens are not there. */
export function limitedError(notGranted: NotGranted): DtError {
  return new DtError("DT_LIMITED", `${whatOf(notGranted)} not there now${whyOf(notGranted)}`, {
    retryAfterMs: notGranted.blocked?.endsInMs,
  });
}

/** Another process has this one's id. */
export function fencedError(memberId: string): DtError {
  return new DtError(
    "DT_MEMBER_FENCED",
    `memberId ${describe(memberId)} was registered by another process; give every process its own, or leave it out`,
  );
}

/** The throttle grants nothing more. */
export function stoppedError(name: string, what: "is being drained" | "was stopped"): DtError {
  return new DtError("DT_STOPPED", `the throttle ${describe(name)} ${what}; create a new one`);
}

function whatOf({ name, tokens }: NotGranted): string {
  const of = `of the throttle ${describe(name)}`;
  return tokens === 1 ? `a token ${of} was` : `${tokens} tokens ${of} were`;
}

function whyOf({ blocked }: NotGranted): string {
  return blocked === undefined ? "" : `: ${blocked.message}`;
}
