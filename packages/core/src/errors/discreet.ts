/** How a driver words its errors, where that differs from what is usual. */
export interface Wording {
  /** What may be shown of a message. Default: all of it. */
  readonly shown?: (message: string) => string;
  /** Where an error keeps the one underneath. Default: `cause`. */
  readonly underneath?: (error: object) => unknown;
}

/** Deeper than any driver's errors, and an end to causes that lead back to themselves. */
const MOST_CAUSES = 8;

/**
 * What of a driver's error may be shown: its name, code, message and causes. Drivers put commands, requests and
 * responses on their errors, with their arguments, headers and credentials. Errors are printed, logged and sent on, so
 * nothing but what is named here is kept.
 */
export function discreet(error: unknown, wording: Wording = {}, depth = 0): Error {
  const { shown = (message) => message, underneath = ({ cause }: Details) => cause } = wording;
  const given: Details = typeof error === "object" && error !== null ? error : {};
  const { name, message, code } = given;
  // Of an address with several connections, all refused, Node says only the code.
  const text = (typeof message === "string" && shown(message)) || String(code ?? name ?? error);
  const below = depth < MOST_CAUSES ? underneath(given) : undefined;
  const clean = new Error(text, below === undefined ? undefined : { cause: discreet(below, wording, depth + 1) });
  const hidden = { enumerable: false, configurable: true, writable: true };
  if (typeof name === "string") Object.defineProperty(clean, "name", { ...hidden, value: name });
  if (typeof code === "string" || typeof code === "number") Object.assign(clean, { code });
  // Its frames are those of the driver, and its first line repeats the message.
  Object.defineProperty(clean, "stack", { ...hidden, value: `${clean.name}: ${text}` });
  return clean;
}

interface Details {
  readonly name?: unknown;
  readonly message?: unknown;
  readonly code?: unknown;
  readonly cause?: unknown;
}
