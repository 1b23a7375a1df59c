import type { RequestFacts } from "../request-facts.ts";
import type { Standing } from "../standing.ts";

/** What a policy says to a request. */
export type Answer = Granted | Denied;

export interface Granted {
  readonly granted: true;
  /** The request is refused after all, by another policy: what it was granted goes back, as far as it can. */
  giveBack(): void;
  /** The request's answer was sent, or its client is gone. */
  ended?(): void;
  /** How the request stands, where only whoever was asked can tell. */
  readonly standing?: Standing;
}

export interface Denied {
  readonly granted: false;
  /** When it would be granted, in milliseconds from now; undefined where nobody can say. */
  readonly retryAfterMs: number | undefined;
  /** Used up by whoever asks (`quota`), or the policy cannot say yes to anybody (`capacity`). */
  readonly cause: "quota" | "capacity";
  /** How the request stands, where only whoever was asked can tell. */
  readonly standing?: Standing;
}

/** A limit that requests have to pass. */
export interface Policy<Raw> {
  readonly name: string;
  /** True where a request may be kept waiting. */
  readonly waits: boolean;
  /** Counts a request, or says when to come again. Rejects with the signal's reason when it aborts. */
  ask(request: RequestFacts<Raw>, signal: AbortSignal | undefined): Answer | Promise<Answer>;
  /** How a request stands now; undefined where the policy does not count it, or its answer tells. */
  standing(request: RequestFacts<Raw>): Standing | undefined;
}
