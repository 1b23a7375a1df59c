import { expect, it } from "vitest";
import { type Ended, httpStatusOf, unanswered } from "../../src/index.ts";

const failed = (fields: object): Ended => ({ error: Object.assign(new Error("failed"), fields) });
const response = (status: number): Ended => ({ value: new Response(null, { status }) });

it.each<[string, Ended]>([
  ["the status 504", response(504)],
  ["an error with the status 504", failed({ response: { status: 504, headers: {} } })],
  ["a timeout of the connection", failed({ code: "ETIMEDOUT" })],
  ["a signal that timed out", { error: new DOMException("too late", "TimeoutError") }],
  ["the cause of an error of fetch", failed({ cause: { code: "UND_ERR_HEADERS_TIMEOUT" } })],
  ["gRPC's DEADLINE_EXCEEDED", failed({ code: 4, details: "late" })],
  ["a timeout of AWS", failed({ name: "RequestTimeout", $metadata: { httpStatusCode: 400 } })],
])("%s is no answer in time: the work may be done", (_, ended) => {
  expect(unanswered(ended)).toBe(true);
});

it.each<[string, Ended]>([
  ["429", response(429)],
  ["503", failed({ status: 503 })],
  ["gRPC's RESOURCE_EXHAUSTED", failed({ code: 8, details: "quota" })],
  ["a throttling error of AWS", failed({ name: "ThrottlingException", $metadata: { httpStatusCode: 400 } })],
  ["a refused connection", failed({ code: "ECONNREFUSED" })],
  ["a value", { value: 1 }],
  ["an odd error", { error: undefined }],
])("%s is an answer, or no timeout", (_, ended) => {
  expect(unanswered(ended)).toBe(false);
});

it("the status of an answer is that of the response or the error, and of nothing else", () => {
  expect(httpStatusOf(response(404))).toBe(404);
  expect(httpStatusOf(failed({ statusCode: 500 }))).toBe(500);
  expect(httpStatusOf(failed({ cause: Object.assign(new Error("inner"), { status: 429 }) }))).toBe(429);
  expect(httpStatusOf({ value: { status: 200 } })).toBeUndefined();
  expect(httpStatusOf(failed({ status: "done" }))).toBeUndefined();
});
