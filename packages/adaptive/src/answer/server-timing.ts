/** The longest wait that is believed: an hour at the callee is a slip of units. */
const LONGEST_WAIT_MS = 3_600_000;

/**
 * How long a call waited at the callee, in milliseconds, from `Server-Timing: queue;dur=12.5`; undefined where that is
 * missing or malformed. Other metrics beside it are passed over.
 * @param serverTiming the header's value
 * @example queueWaitOf("queue;dur=12.5"); // 12.5
 */
export function queueWaitOf(serverTiming: string | undefined): number | undefined {
  for (const metric of serverTiming?.split(",") ?? []) {
    const [name, ...parameters] = metric.split(";").map((part) => part.trim());
    if (name?.toLowerCase() !== "queue") continue;
    for (const parameter of parameters) {
      const match = /^dur\s*=\s*"?(\d+(?:\.\d+)?)"?$/i.exec(parameter);
      const waitMs = match ? Number(match[1]) : Number.NaN;
      if (waitMs <= LONGEST_WAIT_MS) return waitMs;
    }
  }
  return undefined;
}
