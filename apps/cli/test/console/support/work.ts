import type { Page } from "@dt-tooling/backends/chromium";

/** What a page does with the frames that it receives. */
export interface Work {
  /** Frames in which this was measured. */
  readonly frames: number;
  /** From a frame's arrival until its picture is drawn, in milliseconds: of half of the frames, and the longest. */
  readonly drawnMs: { readonly median: number; readonly max: number };
  /** Tasks of 50 ms or more: a page that has one does not react meanwhile. In milliseconds. */
  readonly longTasks: readonly number[];
  /** The size of a frame. */
  readonly bytes: number;
  /** How many elements the page has. */
  readonly elements: number;
}

/** Makes a page measure its work from now on. Before it is opened. */
export async function watchWork(page: Page): Promise<void> {
  await page.addInitScript(`{
    const work = (window.work = { drawn: [], long: [], bytes: 0 });
    new PerformanceObserver((list) => work.long.push(...list.getEntries().map(({ duration }) => duration)))
      .observe({ type: "longtask" });
    const drawn = (then) => requestAnimationFrame(() => {
      // Comes after the picture of this turn.
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = then;
      port2.postMessage(0);
    });
    const listen = EventSource.prototype.addEventListener;
    EventSource.prototype.addEventListener = function (name, listener, ...rest) {
      if (name !== "frame") return listen.call(this, name, listener, ...rest);
      return listen.call(this, name, (event) => {
        const beganMs = performance.now();
        work.bytes = event.data.length;
        listener(event);
        drawn(() => work.drawn.push(performance.now() - beganMs));
      }, ...rest);
    };
  }`);
}

/** Forgets what was measured so far, such as how the page was opened. */
export function beginWork(page: Page): Promise<void> {
  return page.evaluate("void (work.drawn.length = work.long.length = 0)");
}

/** What was measured since. */
export async function workOf(page: Page): Promise<Work> {
  const { drawn, long, bytes } = await page.evaluate<Measured>("work");
  const elements = await page.evaluate<number>("document.querySelectorAll('*').length");
  const sorted = drawn.toSorted((one, other) => one - other);
  const drawnMs = { median: sorted[sorted.length >> 1] ?? 0, max: sorted.at(-1) ?? 0 };
  return { frames: drawn.length, drawnMs, longTasks: long, bytes, elements };
}

/** What the page notes. */
interface Measured {
  readonly drawn: number[];
  readonly long: number[];
  readonly bytes: number;
}
