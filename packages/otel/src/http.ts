import type { Reader } from "./reader.ts";

/** What an HTTP client knows of one callee, as far as it becomes metrics. */
interface CalleeStatus {
  readonly callee: string;
  readonly pausedForMs: number;
  readonly waiting: number;
  readonly inflight: number;
  readonly sent: number;
  readonly refused?: number | undefined;
}

/** What of a server limit's status becomes metrics. */
export interface ServerStatus {
  readonly allowed: number;
  readonly refused: number;
  readonly shed: number;
  readonly gone: number;
  readonly waiting: number;
  readonly keyed: Readonly<Record<string, { readonly storeLost: boolean }>>;
}

/** How an HTTP client is read: by callee. The client forgets callees that are idle, so there are not many. */
export function httpClientReader(name: string, status: () => readonly CalleeStatus[]): Reader {
  return {
    attributes: { "dt.name": name, "dt.kind": "httpClient" },
    read(put) {
      for (const { callee, pausedForMs, waiting, inflight, sent, refused } of status()) {
        const attributes = { "dt.callee": callee };
        put("dt.callee.requests", sent, attributes);
        put("dt.callee.refusals", refused, attributes);
        put("dt.callee.inflight", inflight, attributes);
        put("dt.queue.size", waiting, attributes);
        put("dt.paused", pausedForMs / 1_000, attributes);
      }
      return false;
    },
    listen: () => () => undefined,
  };
}

/** How the limit of a server is read. It has no name. */
export function serverReader(status: () => ServerStatus): Reader {
  return {
    attributes: { "dt.kind": "serverLimit" },
    read(put) {
      const { allowed, refused, shed, gone, waiting, keyed } = status();
      put("dt.calls", allowed, { "dt.result": "granted" });
      put("dt.calls", refused + shed, { "dt.result": "refused" });
      put("dt.calls", gone, { "dt.result": "canceled" });
      put("dt.server.shed", shed);
      put("dt.queue.size", waiting);
      for (const [policy, { storeLost }] of Object.entries(keyed))
        put("dt.store.valid", Number(!storeLost), { "dt.limit.name": policy });
      return false;
    },
    listen: () => () => undefined,
  };
}
