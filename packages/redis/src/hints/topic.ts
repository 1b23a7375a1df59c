// biome-ignore lint/style/noRestrictedImports: for a secret, see newSecret
import { randomBytes } from "node:crypto";
import type { Keys } from "../keys.ts";

/** Somebody who is told of hints. */
export interface Listener {
  readonly onHint: () => void;
  /** The secret in the name of the channel that is listened to; undefined before there is one. */
  secret: string | undefined;
  /** Ends listening to that channel. */
  end: () => void;
}

/** The hints of a group, or of a key's permits: who listens, and what is known of their channel. */
export interface Topic {
  readonly where: Keys;
  readonly listeners: Set<Listener>;
  /** The secret in the channel's name as the server told it last. */
  secret: string | undefined;
  /** Under way until somebody's question for the secret is answered. */
  asking: Promise<unknown> | undefined;
  /** The server was to be asked and did not answer. */
  unsure: boolean;
}

/**
 * 128 bits. Not of the runtime's randomness, from which processor ids come that may stand in logs: whoever has seen
 * enough of what `Math.random` gives can foresee the rest. Nothing but a name depends on it.
 */
export function newSecret(): string {
  return randomBytes(16).toString("hex");
}

/** The name of the channel that a topic is on. */
export function channelOf({ channel }: Keys, secret: string): string {
  return `${channel}:${secret}`;
}
