/** Longer bodies are not read for their usage. */
const MOST_CHARACTERS = 4_000_000;

/** Reads the items of a body that is read by another program. */
export interface BodyItems {
  chunk(chunk: unknown): void;
  end(): void;
}

/**
 * The items of a body as values: of server-sent events the data of each, of JSON the whole. What cannot be read is left
 * out.
 */
export function itemsOfBody(contentType: string, item: (value: unknown) => void): BodyItems {
  const decoder = new TextDecoder();
  const isStream = /^text\/event-stream\b/i.test(contentType);
  const isJson = /^application\/(?:[\w.-]+\+)?json\b/i.test(contentType);
  let text = "";
  const parse = (json: string): void => {
    try {
      item(JSON.parse(json));
    } catch {
      // "[DONE]", and what was cut off.
    }
  };
  const lines = (isLast: boolean): void => {
    const all = text.split(/\r\n|\n|\r/);
    text = isLast ? "" : (all.pop() ?? "");
    for (const line of all) if (line.startsWith("data:")) parse(line.slice("data:".length).trim());
  };
  const take = (more: string): void => {
    if (text.length + more.length > MOST_CHARACTERS) text = "";
    else text += more;
    if (isStream) lines(false);
  };
  return {
    chunk: (chunk) => {
      if (!isStream && !isJson) return;
      if (chunk instanceof Uint8Array) take(decoder.decode(chunk, { stream: true }));
      else if (typeof chunk === "string") take(chunk);
    },
    end: () => {
      if (isStream) lines(true);
      else if (isJson && text !== "") parse(text);
      text = "";
    },
  };
}
