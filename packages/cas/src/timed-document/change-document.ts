import { type DtError, isDtError } from "@dt/core";
import { limitHead, type ReadLimit } from "../limits/limit-head.ts";
import type { StoredDocument } from "./document-cell.ts";
import type { DocumentClock } from "./document-clock.ts";
import type { DocumentKind, TimedDocument } from "./document-kind.ts";
import { usedBy } from "./document-use.ts";

/**
 * What is done with a document. `reset` forgets it, also when it is damaged; `renew` records its time, if the last
 * record is this client's.
 */
export type DocumentOperation<Request> =
  | { readonly kind: "request"; readonly request: Request }
  | { readonly kind: "reset" }
  | { readonly kind: "renew" };

/** What an operation came to: a refusal is that operation's alone. */
export type Outcome<Answer> = Answer | DtError | undefined;

/** The document after some operations, and the answers of those that have one. */
export interface Changed<Contents, Answer> {
  /** Undefined when there is nothing to be written. */
  readonly document: TimedDocument<Contents> | undefined;
  readonly answers: readonly Outcome<Answer>[];
}

/** True for an answer that was refused by itself. */
export function isRefusal(answer: unknown): answer is DtError {
  return isDtError(answer);
}

/** What operations are done with. */
export interface ChangeContext {
  readonly clock: DocumentClock;
  readonly client: string;
  /** What holds the document, for messages. */
  readonly name: string;
  /** The limit record, where a request with `stored` is among the operations. */
  readonly limit: ReadLimit | undefined;
}

/**
 * Does operations at the time that it is now, by the document's clock; undefined when there is nothing to be written.
 * @throws DtError `DT_STORE_DATA` when what is stored is something else
 */
export function changeDocument<Contents, Request, Answer>(
  kind: DocumentKind<Contents, Request, Answer>,
  stored: StoredDocument | undefined,
  operations: readonly DocumentOperation<Request>[],
  { clock, client, name, limit }: ChangeContext,
): Changed<Contents, Answer> | undefined {
  const resets = operations.some((operation) => operation.kind === "reset");
  const before = stored && read(kind, stored.text, name, resets);
  const isOwn = before?.use.by === client;
  if (stored && before) clock.observe({ timeMs: kind.lastMs(before), mark: stored.revision, isOwn });
  else clock.begin();
  const uses = operations.some((operation) => operation.kind === "request" && kind.isUse(operation.request));
  // Nothing is known of it, so there is nothing to give back; and it is the last writer who records the time.
  if (!uses && !before && !(stored && resets)) return undefined;
  if (!isOwn && operations.every((operation) => operation.kind === "renew")) return undefined;
  const nowMs = clock.now();
  const contents = before ?? kind.begin();
  // What was damaged is replaced by a document that is new.
  if (stored && !before) kind.renew(contents, nowMs);
  const answers = operations.map((operation): Outcome<Answer> => {
    if (operation.kind === "request") return applyOrRefuse(kind, contents, operation.request, nowMs, limit);
    if (operation.kind === "reset") kind.reset(contents, nowMs);
    else kind.renew(contents, nowMs);
    return undefined;
  });
  // Nothing was put if all were refused.
  if (answers.every(isRefusal)) return { document: undefined, answers };
  const renews = operations.some((operation) => operation.kind === "renew");
  return { document: { ...contents, use: usedBy(client, nowMs, before?.use, { uses, renews }) }, answers };
}

function applyOrRefuse<Contents, Request, Answer>(
  kind: DocumentKind<Contents, Request, Answer>,
  contents: Contents,
  request: Request,
  nowMs: number,
  limit: ReadLimit | undefined,
): Outcome<Answer> {
  try {
    const head = limit && kind.isStored(request) ? limitHead(limit, kind.copiedFrom(contents)) : undefined;
    return kind.apply(contents, request, nowMs, head);
  } catch (error) {
    // The limit record is damaged, and not the document.
    if (isDtError(error, "DT_PACE_MISMATCH") || isDtError(error, "DT_STORE_DATA")) return error;
    throw error;
  }
}

/** Undefined for what is damaged and to be reset. */
function read<Contents>(
  kind: Pick<DocumentKind<Contents, never, unknown>, "decode">,
  text: string,
  name: string,
  resets: boolean,
): TimedDocument<Contents> | undefined {
  try {
    return kind.decode(text, name);
  } catch (error) {
    if (resets) return undefined;
    throw error;
  }
}
