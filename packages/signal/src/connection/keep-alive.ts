import type { Runtime } from "@dt/core";
import { SignalError } from "../errors.ts";
import type { FramedStream } from "./framed-stream.ts";

/** What is watched. */
export interface Watched {
  readonly runtime: Runtime;
  readonly frames: FramedStream;
  /** Milliseconds of silence after which the other side is asked for a sign; after as many again it is cut off. */
  readonly everyMs: number;
  /** True when nothing was read for a time since it was last asked: silence proves nothing then. Asked once a look. */
  readonly deaf: () => boolean;
}

/** Closes a connection whose other side is gone, or sends a frame that it does not finish. */
export class KeepAlive {
  readonly #watched: Watched;
  #timer: { cancel(): void } | undefined;
  #seen = -1;
  #asked = false;
  #wasPartial = false;

  constructor(watched: Watched) {
    this.#watched = watched;
    this.#arm();
  }

  stop(): void {
    this.#timer?.cancel();
  }

  #arm(): void {
    const { runtime, everyMs } = this.#watched;
    this.#timer = runtime.setTimer(() => this.#look(), everyMs, { keepAlive: false });
  }

  #look(): void {
    const { frames, deaf, everyMs } = this.#watched;
    const { frames: count, partial } = frames.progress;
    const silent = !deaf() && count === this.#seen;
    const unfinished = silent && partial && this.#wasPartial;
    if (unfinished || (silent && this.#asked)) {
      frames.close(
        lost(
          unfinished ? `a frame was not finished within ${everyMs} ms` : `nothing was received for ${2 * everyMs} ms`,
        ),
      );
      return;
    }
    this.#asked = silent;
    this.#wasPartial = partial;
    this.#seen = count;
    if (silent) frames.send({ type: "ping" });
    this.#arm();
  }
}

function lost(what: string): SignalError {
  return new SignalError("DT_CONNECTION_LOST", `${what}; the connection is closed`, { effect: "unknown" });
}
