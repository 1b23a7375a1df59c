import type { IncomingHttpHeaders } from "node:http";

/** A request to a language model, as far as the answer depends on it. */
export interface Ask {
  readonly model: string;
  readonly promptTokens: number;
  /** The most tokens that it allows as output. */
  readonly mostOutput: number;
  /** How many it is to be exactly; undefined for a number at random. */
  readonly output: number | undefined;
  /** Whether the answer is to come as server-sent events. */
  readonly stream: boolean;
  /** Whether events of OpenAI's form are to end with the usage. */
  readonly includeUsage: boolean;
}

/** A request that no answer can be given to: it counts nowhere. */
export class BadAsk extends Error {
  readonly status: 400 | 413;
  /** The field that is wrong. */
  readonly field: string | undefined;

  constructor(status: 400 | 413, message: string, field?: string) {
    super(message);
    this.status = status;
    this.field = field;
  }
}

/** The header that states how many tokens the prompt has, in place of an estimate from its characters. */
export const PROMPT_HEADER = "x-prompt-tokens";
/** The header that states how many tokens come out, in place of a number at random. */
export const OUTPUT_HEADER = "x-output-tokens";

/** Where a request states no maximum. */
const MOST_OUTPUT = 400;
/** No answer is longer, whatever its header states: each token of a stream is an event of its own. */
const LONGEST_OUTPUT = 100_000;
const LONGEST_PROMPT = 1_000_000_000;
/** It comes back in every event of a stream. */
const LONGEST_MODEL = 256;
const CHARACTERS_PER_TOKEN = 4;

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads a request in OpenAI's form, or in Anthropic's: they differ in what states the maximum, and where the system
 * prompt is.
 * @param maxima names of the fields that state the most output; the first that is there counts
 * @throws BadAsk
 */
export function readAsk(body: string, headers: IncomingHttpHeaders, maxima: readonly string[]): Ask {
  const fields = fieldsOf(body);
  const { model = "callee", messages, system } = fields;
  if (typeof model !== "string" || model.length > LONGEST_MODEL)
    throw new BadAsk(400, `model is no text of at most ${LONGEST_MODEL} characters`, "model");
  const stated = maxima.map((name) => wholeNumber(fields[name], name, 1, Number.MAX_SAFE_INTEGER));
  return {
    model,
    promptTokens:
      headerNumber(headers, PROMPT_HEADER, 0, LONGEST_PROMPT) ??
      Math.ceil((charactersOf(messages) + textLength(system, "system")) / CHARACTERS_PER_TOKEN),
    mostOutput: stated.find((value) => value !== undefined) ?? MOST_OUTPUT,
    output: headerNumber(headers, OUTPUT_HEADER, 1, LONGEST_OUTPUT),
    stream: flag(fields["stream"], "stream"),
    includeUsage: flag(objectIn(fields["stream_options"], "stream_options")["include_usage"], "stream_options"),
  };
}

function fieldsOf(body: string): Fields {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    throw new BadAsk(400, "the body is no JSON");
  }
  if (isObject(value)) return value;
  throw new BadAsk(400, "the body is no JSON object");
}

/** The characters of all messages: of texts, and of parts with a text. */
function charactersOf(messages: unknown): number {
  if (!Array.isArray(messages) || messages.length === 0)
    throw new BadAsk(400, "messages is no list of at least one message", "messages");
  let characters = 0;
  for (const message of messages) {
    if (!isObject(message)) throw new BadAsk(400, "a message is no object", "messages");
    characters += textLength(message["content"], "messages");
  }
  return characters;
}

function textLength(content: unknown, field: string): number {
  if (content === undefined || content === null) return 0;
  if (typeof content === "string") return lengthOf(content);
  if (!Array.isArray(content) || !content.every(isObject))
    throw new BadAsk(400, `${field} has a content that is neither a text nor a list of parts`, field);
  return content.reduce((sum, { text }) => sum + (typeof text === "string" ? lengthOf(text) : 0), 0);
}

/** In characters, of which some are two units of a string. */
function lengthOf(text: string): number {
  let characters = 0;
  for (const _ of text) characters += 1;
  return characters;
}

function wholeNumber(value: unknown, name: string, least: number, most: number): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "number" && Number.isInteger(value) && value >= least && value <= most) return value;
  throw new BadAsk(400, `${name} is no whole number from ${least} to ${most}`, name);
}

function headerNumber(headers: IncomingHttpHeaders, name: string, least: number, most: number): number | undefined {
  const text = headers[name];
  if (text === undefined) return undefined;
  return wholeNumber(/^\d{1,15}$/.test(String(text)) ? Number(text) : Number.NaN, name, least, most);
}

function flag(value: unknown, name: string): boolean {
  if (value === undefined || value === null) return false;
  if (typeof value === "boolean") return value;
  throw new BadAsk(400, `${name} is neither true nor false`, name);
}

function objectIn(value: unknown, name: string): Fields {
  if (value === undefined || value === null) return {};
  if (isObject(value)) return value;
  throw new BadAsk(400, `${name} is no object`, name);
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
