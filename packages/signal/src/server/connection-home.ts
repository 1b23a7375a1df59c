import type { Command } from "../protocol/commands.ts";
import type { Body } from "../protocol/frame.ts";
import type { BufferBudget } from "./buffer-budget.ts";
import type { FrameRoom } from "./frame-room.ts";
import type { Limiter } from "./limiter.ts";
import type { ServerSettings } from "./options.ts";
import type { ReadGate } from "./read-gate.ts";
import type { LimiterName, LimitsOfTopics } from "./topic-limits.ts";

/** What all connections of a server share. */
export interface ServerShared {
  readonly settings: ServerSettings;
  readonly limits: LimitsOfTopics;
  readonly budget: BufferBudget;
  readonly broker: Limiter;
  /** Counts a throttle. The topic is empty where the whole connection is meant. */
  readonly throttled: (limiter: LimiterName, topic: string, ms: number) => void;
}

/** What the parts of one connection need of it. */
export interface ConnectionHome extends ServerShared {
  readonly gate: ReadGate;
  readonly room: FrameRoom;
  readonly send: (command: Command, body?: Body) => void;
  readonly closed: () => boolean;
  /** True while more should not be written, since the client does not read. */
  readonly full: () => boolean;
}
