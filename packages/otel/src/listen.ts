import { isDtError } from "@dt/core";

/**
 * Listens to an event of a source, where the source has it; returns the function that ends it.
 * @param source the source
 * @param event the event's name
 * @param listener called with each event
 */
export function listenTo<Event>(source: object, event: string, listener: (event: Event) => void): () => void {
  const { on } = source as { readonly on?: (event: string, listener: (event: Event) => void) => () => void };
  if (typeof on !== "function") return () => undefined;
  try {
    return on.call(source, event, listener);
  } catch (error) {
    // Not every kind has every event.
    if (isDtError(error, "DT_INVALID_OPTION")) return () => undefined;
    throw error;
  }
}
