/**
 * What of a driver's error may be shown: its name, code, message and causes. Clients put requests and responses on their errors, with their headers and
 * credentials. Errors are printed, logged and sent on, so nothing but what is named here is kept.
 */
export function discreet(error: unknown): Error {
  const { name, message, code, cause } = (typeof error === "object" && error !== null ? error : {}) as Details;
  const text = typeof message === "string" && message !== "" ? message : String(code ?? name ?? error);
  const clean = new Error(text, cause === undefined ? undefined : { cause: discreet(cause) });
  const hidden = { enumerable: false, configurable: true, writable: true };
  if (typeof name === "string") Object.defineProperty(clean, "name", { ...hidden, value: name });
  if (typeof code === "string" || typeof code === "number") Object.assign(clean, { code });
  // Its frames are those of the client, and its first line repeats the message.
  Object.defineProperty(clean, "stack", { ...hidden, value: `${clean.name}: ${text}` });
  return clean;
}

interface Details {
  readonly name?: unknown;
  readonly message?: unknown;
  readonly code?: unknown;
  readonly cause?: unknown;
}
