import { discreet as discreetOf, type Wording } from "@dt/core/ledger";

const WORDING: Wording = {
  // A server that does not know a command repeats its arguments:
  // `ERR unknown command 'HELLO', with args beginning with: '3' 'AUTH' ...`.
  shown: (message) => message.replace(/,? with args beginning with:.*$/s, ""),
  // Why a Cluster has no connection.
  underneath: ({ cause, lastNodeError }: { readonly cause?: unknown; readonly lastNodeError?: unknown }) =>
    cause ?? lastNodeError,
};

/**
 * ioredis puts the command that failed on its errors, with all of its arguments: the password of an AUTH, or a whole
 * script.
 */
export function discreet(error: unknown): Error {
  return discreetOf(error, WORDING);
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
