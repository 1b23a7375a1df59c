import { DtError } from "@dt/core";
import { expect, it } from "vitest";
import { listed } from "./support.ts";

const response = (status: number): Response => new Response(null, { status });
const failing = (fields: object) => (): never => {
  throw Object.assign(new Error("as it was thrown"), fields);
};

it.each<[string, () => unknown, string, string | undefined]>([
  ["any value is a success", () => ({ status: "sent" }), "success", undefined],
  ["a response of success, too", () => response(204), "success", undefined],
  [
    "a response 429 is throttled by the callee",
    () => response(429),
    "throttled",
    "Server returned HTTP response code: 429",
  ],
  ["so is a response 503", () => response(503), "throttled", "Server returned HTTP response code: 503"],
  [
    "a response 504 is an error: the work may be done",
    () => response(504),
    "error",
    "Server returned HTTP response code: 504",
  ],
  ["a response 500 is an error", () => response(500), "error", "Server returned HTTP response code: 500"],
  ["a response 404 is an error", () => response(404), "error", "Server returned HTTP response code: 404"],
  [
    "an error with the status 429 is throttled",
    failing({ status: 429 }),
    "throttled",
    "Server returned HTTP response code: 429",
  ],
  [
    "so is one whose response has it",
    failing({ response: { status: 429, headers: {} } }),
    "throttled",
    "Server returned HTTP response code: 429",
  ],
  ["an error with the status 500 says what it says", failing({ status: 500 }), "error", "as it was thrown"],
  ["an error with the status 404, too", failing({ statusCode: 404 }), "error", "as it was thrown"],
  ["gRPC's RESOURCE_EXHAUSTED is throttled", failing({ code: 8, details: "" }), "throttled", "as it was thrown"],
  ["gRPC's DEADLINE_EXCEEDED is an error", failing({ code: 4, details: "" }), "error", "as it was thrown"],
  [
    "a throttling error of AWS is throttled",
    failing({ name: "ThrottlingException", $metadata: {} }),
    "throttled",
    "as it was thrown",
  ],
  ["a timeout is an error", failing({ code: "ETIMEDOUT" }), "error", "as it was thrown"],
  ["a refused connection is an error", failing({ code: "ECONNREFUSED" }), "error", "as it was thrown"],
  [
    "what another guard of ours within the call did not let out is throttled",
    () => {
      throw new DtError("DT_TIMEOUT", "too many wait");
    },
    "throttled",
    "too many wait",
  ],
])("%s", async (_, call, kind, error) => {
  const { pipeline, endings } = listed(["x"], call);
  await pipeline.run();
  expect(endings).toMatchObject([{ kind, input: "x", index: 0, ...(error && { error }) }]);
});

it("what a rule of one's own says decides, also of a value", async () => {
  const classify = (ended: object) => ("value" in ended ? ("overload" as const) : ("failure" as const));
  const { pipeline, endings } = listed([0, 1], (n) => (n === 0 ? "busy" : failing({})()), { classify, concurrency: 1 });
  await pipeline.run();
  expect(endings).toMatchObject([
    { kind: "throttled", by: "callee", error: "busy", cause: "busy" },
    { kind: "error", error: "as it was thrown" },
  ]);
});
