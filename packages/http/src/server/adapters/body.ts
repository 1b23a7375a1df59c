import { whenAborted } from "@dt/core/internal";

/**
 * The same body, and `end` is told once: true when it was read to its end, false when it failed, was given up, or the
 * client left.
 */
export function whenRead(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
  end: (wasRead: boolean) => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let open = true;
  let stopListening: () => void = () => undefined;
  const close = (wasRead: boolean): void => {
    if (!open) return;
    open = false;
    stopListening();
    end(wasRead);
  };
  if (signal.aborted) close(false);
  else stopListening = whenAborted(signal, () => close(false));
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    try {
      const { done, value } = await reader.read();
      if (!done) return controller.enqueue(value);
      close(true);
      controller.close();
    } catch (error) {
      close(false);
      controller.error(error);
    }
  };
  const cancel = (reason: unknown): Promise<void> => {
    close(false);
    return reader.cancel(reason);
  };
  // Nothing is read before somebody asks for it: the handler's own backpressure stays.
  return new ReadableStream({ pull, cancel }, { highWaterMark: 0 });
}
