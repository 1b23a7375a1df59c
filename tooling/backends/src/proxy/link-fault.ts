/** What can be wrong between a worker and a server until it is mended. */
export type LinkFault =
  /** Each direction takes so much longer. */
  | { readonly type: "delay"; readonly delayMs: number }
  /** Nothing gets through; all of it, in order and late, when it is mended. */
  | { readonly type: "stall" }
  /** The server hears and does everything; its replies come in order and late, when it is mended. */
  | { readonly type: "stall-replies" }
  /** The server hears nothing. */
  | { readonly type: "drop-requests" }
  /** The server hears and does everything; its replies never come. */
  | { readonly type: "swallow-replies" }
  /** The server's side is gone, the client's stays open and silent; so do new connections. */
  | { readonly type: "half-open" };
