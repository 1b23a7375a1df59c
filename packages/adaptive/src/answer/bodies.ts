import { type AnyRecord, membersOf, recordOf } from "./records.ts";

/** Bodies that report an error are short; what is longer is not parsed. */
const LONGEST_BODY = 65_536;

/**
 * The errors that a parsed body reports, at the places where providers put them: `error` (OpenAI, Anthropic, Gemini,
 * JSON-RPC), also in the `response` of an event (OpenAI), in the first of `choices` (OpenRouter) or of a list (Gemini);
 * the body itself where it is marked as an error (Mistral, AWS, problem details); an MCP result with `isError`. Nothing
 * else is looked at, so a body may be as large and as deep as it likes.
 */
export function errorsInBody(body: unknown): readonly AnyRecord[] {
  const root = recordOf(parsed(Array.isArray(body) ? body[0] : body));
  const result = recordOf(root["result"]);
  const places = [
    root,
    recordOf(root["response"]),
    recordOf(membersOf(root["choices"])[0]),
    result,
    recordOf(root["structuredContent"]),
    recordOf(result["structuredContent"]),
  ];
  return places.flatMap((place) => [
    ...(isMarked(place) ? [place] : []),
    ...(place["isError"] === true ? [{ message: textOf(place["content"]) }] : []),
    ...within(place),
  ]);
}

/**
 * The errors of the body that an error of a client or an SDK carries. OpenAI and Anthropic have it in `error`, the AI
 * SDK in `data` and `responseBody`, axios in `response.data`, got in `response.body`, Kubernetes in `body`, and the SDK
 * of Google in the message.
 */
export function errorsInError(error: AnyRecord): readonly AnyRecord[] {
  const { data, body, responseBody, message } = error;
  const response = recordOf(error["response"]);
  // The AI SDK keeps of `data` only what its schema knows, which leaves out the details of Google.
  const bodies = [responseBody ?? data, body, response["data"], response["body"], message];
  return [...within(error), ...bodies.flatMap(errorsInBody)];
}

/** What is in `error`, and in the `error` of that; a text is a message. Streams of Bedrock name it by its class. */
function within({ error, throttlingException, serviceUnavailableException }: AnyRecord): readonly AnyRecord[] {
  const found: AnyRecord[] = [];
  if (throttlingException !== undefined) found.push({ type: "throttlingException" });
  if (serviceUnavailableException !== undefined) found.push({ status: 503 });
  if (typeof error === "string") found.push({ message: error });
  if (typeof error !== "object" || error === null) return found;
  const outer = error as AnyRecord;
  const inner = outer["error"];
  return [...found, outer, ...(typeof inner === "object" && inner !== null ? [inner as AnyRecord] : [])];
}

function isMarked(place: AnyRecord): boolean {
  const { type, object, __type } = place;
  return type === "error" || object === "error" || typeof __type === "string" || "violated-policies" in place;
}

/** The texts of an MCP result. */
function textOf(content: unknown): string {
  return membersOf(content)
    .map((part) => recordOf(part)["text"])
    .filter((text) => typeof text === "string")
    .join("\n");
}

/** JSON where a body is still text. */
function parsed(body: unknown): unknown {
  if (typeof body !== "string" || body.length > LONGEST_BODY || !/^\s*[[{]/.test(body)) return body;
  try {
    const value: unknown = JSON.parse(body);
    return Array.isArray(value) ? value[0] : value;
  } catch {
    return undefined;
  }
}
