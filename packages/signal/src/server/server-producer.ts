import type { Timer } from "@dt/core";
import type { TopicLimits } from "./topic-limits.ts";

/** A producer as its connection's server side knows it. */
export interface ServerProducer {
  readonly id: number;
  readonly name: string;
  readonly topic: string;
  readonly limits: TopicLimits;
  /** The last message that it sent on this connection, or had kept before. */
  lastSequenceId: number;
  /**
   * True from the start when it was told to be still before it was made, until its first message is taken: it has sent
   * nothing yet.
   */
  toldFirst: boolean;
  /** It should send nothing before then. */
  throttledUntilMs: number;
  /** It has confirmed that it will send nothing before then. */
  confirmedUntilMs: number;
  /** Looks again, shortly before the throttle ends. */
  renewal: Timer | undefined;
}
