/**
 * What of a client's error may be shown: its message, name, code and causes. ioredis puts the command that failed on its errors, with all of its
 * arguments: the password of an AUTH, or a whole script. Errors are printed, logged and sent on, so nothing but what is named here is kept.
 */
export function discreet(error: unknown): Error {
  const { name, code, cause, lastNodeError } = (typeof error === "object" && error !== null ? error : {}) as Details;
  const underneath = cause ?? lastNodeError;
  // Of an address with several connections, all refused, Node says only the code.
  const message = withoutArguments(messageOf(error)) || String(code ?? "an error without a message");
  const clean = new Error(message, underneath === undefined ? undefined : { cause: discreet(underneath) });
  const hidden = { enumerable: false, configurable: true, writable: true };
  if (typeof name === "string") Object.defineProperty(clean, "name", { ...hidden, value: name });
  if (typeof code === "string") Object.assign(clean, { code });
  // Its frames are those of the client's parser, and its first line repeats the message.
  Object.defineProperty(clean, "stack", { ...hidden, value: `${clean.name}: ${message}` });
  return clean;
}

/** What errors may have besides a message. `lastNodeError` is why a Cluster has no connection. */
interface Details {
  readonly name?: unknown;
  readonly code?: unknown;
  readonly cause?: unknown;
  readonly lastNodeError?: unknown;
}

/** A server that does not know a command repeats its arguments: `ERR unknown command 'HELLO', with args beginning with: '3' 'AUTH' ...`. */
function withoutArguments(message: string): string {
  return message.replace(/,? with args beginning with:.*$/s, "");
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
