import type { CaseDefinition } from "../../case.ts";
import { slotsApart } from "./apart.ts";
import { asks } from "./asks.ts";
import { costly } from "./costly.ts";
import { slotHints } from "./hints.ts";
import { judged } from "./judged.ts";
import { offers } from "./offers.ts";
import { order } from "./order.ts";
import { slotsOver } from "./over.ts";
import { queue } from "./queue.ts";
import { slotSchedules } from "./schedules.ts";
import { slotsWithoutQueue } from "./without-queue.ts";

/** R28 to R34: the queue of a semaphore. None waits but those in which a member goes stale or a group learns. */
export const slotCases: readonly CaseDefinition[] = [
  ...queue,
  ...judged,
  ...offers,
  ...asks,
  ...slotsOver,
  ...order,
  ...costly,
  ...slotSchedules,
  ...slotsWithoutQueue,
  ...slotsApart,
  ...slotHints,
];
