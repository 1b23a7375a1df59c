import { useEffect, useRef, useState } from "preact/hooks";
import type { LimiterReport } from "../../../fleet/report.ts";
import type { LimiterKind } from "../../../stores/limiter-kinds.ts";
import type { Api } from "../api.ts";

/** What was asked for, as far as it has come. */
export interface Asked {
  readonly report: LimiterReport | undefined;
  /** Why the last request failed; undefined where it did not. */
  readonly error: string | undefined;
}

/** One request takes at most one part in so many of the time: a large answer is asked for less often. */
const PART_OF_TIME = 5;

/**
 * A limiter with all that its frames leave out: asked for again with each frame, one request at a time, and not while
 * the page is out of sight.
 *
 * @param atMs the time of the last frame
 */
export function useReport(api: Api, kind: LimiterKind, name: string, atMs: number | undefined): Asked {
  const [asked, setAsked] = useState<Asked>({ report: undefined, error: undefined });
  const pending = useRef<AbortController>(undefined);
  const notBefore = useRef(0);

  useEffect(() => {
    const isFirst = notBefore.current === 0;
    if (pending.current !== undefined || performance.now() < notBefore.current) return;
    if (document.hidden && !isFirst) return;
    const controller = new AbortController();
    pending.current = controller;
    const startMs = performance.now();
    const done = (next: (before: Asked) => Asked): void => {
      if (controller.signal.aborted) return;
      pending.current = undefined;
      const endMs = performance.now();
      notBefore.current = endMs + (endMs - startMs) * (PART_OF_TIME - 1);
      setAsked(next);
    };
    api.limiter(kind, name, controller.signal).then(
      (report) => done(() => ({ report, error: undefined })),
      (error: unknown) => done(({ report }) => ({ report, error: messageOf(error) })),
    );
  }, [api, kind, name, atMs]);
  useEffect(
    () => () => {
      pending.current?.abort();
      pending.current = undefined;
    },
    [],
  );
  return asked;
}

/** What a failure says to people. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
