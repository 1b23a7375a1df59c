import { DtError } from "@dt/core";
import { describe, expect, it } from "vitest";
import {
  awsOutcome,
  classifier,
  classify,
  grpcOutcome,
  httpOutcome,
  httpStatus,
  nodeOutcome,
  type Rule,
} from "../../src/index.ts";

const failed = (fields: object): { error: Error } => ({ error: Object.assign(new Error("failed"), fields) });

describe("a classifier", () => {
  it("asks its rules in order, and the first that knows decides", () => {
    const asked: string[] = [];
    const rule =
      (name: string, outcome: ReturnType<Rule>): Rule =>
      () => {
        asked.push(name);
        return outcome;
      };
    const of = classifier(rule("first", undefined), rule("second", "overload"), rule("third", "success"));
    expect(of({ value: 1 })).toEqual({ outcome: "overload" });
    expect(asked).toEqual(["first", "second"]);
  });

  it("takes what no rule knows for a success when there is a value, else for a failure", () => {
    expect(classifier()({ value: undefined })).toEqual({ outcome: "success" });
    expect(classifier()({ error: undefined })).toEqual({ outcome: "failure" });
    expect(classify({ error: "a string" })).toEqual({ outcome: "failure" });
    expect(classify({ value: { status: "done" } })).toEqual({ outcome: "success" });
  });

  it("ignores a call that another limit of ours refused: it was never made", () => {
    for (const code of ["DT_LIMITED", "DT_TIMEOUT", "DT_QUEUE_FULL", "DT_STOPPED"] as const)
      expect(classify({ error: new DtError(code, "no") })).toEqual({ outcome: "ignored" });
    expect(classify({ error: new DtError("DT_STORE_TIMEOUT", "late") })).toEqual({ outcome: "failure" });
  });

  it("refuses what is no rule, and verdicts that make no sense", () => {
    expect(() => classifier("http" as never)).toThrow(/rule is "http"; give a function/);
    expect(() => classifier(() => "fine" as never)({ value: 1 })).toThrow(/outcome is "fine"; give one of success/);
    const after = (retryAfterMs: number) => classifier(() => ({ outcome: "overload", retryAfterMs }))({ value: 1 });
    expect(() => after(Number.NaN)).toThrow(/retryAfterMs is NaN/);
    expect(() => after(Number.POSITIVE_INFINITY)).toThrow(/retryAfterMs is Infinity/);
  });
});

describe("the rule for HTTP", () => {
  it("knows errors of clients that carry a status, theirs or that of a response within", () => {
    expect(httpOutcome(failed({ status: 429 }))).toMatchObject({ outcome: "overload" });
    expect(httpOutcome(failed({ statusCode: 500 }))).toMatchObject({ outcome: "failure" });
    const response = { status: 503, headers: { "Retry-After": "2", "Server-Timing": "queue;dur=40" } };
    expect(httpOutcome(failed({ response }))).toEqual({
      outcome: "overload",
      report: { queueWaitMs: 40 },
      retryAfterMs: 2_000,
      refused: true,
    });
    expect(httpOutcome({ error: new Error("outer", { cause: failed({ status: 429 }).error }) })).toMatchObject({
      outcome: "overload",
    });
  });

  it("reads the headers of a response also where the error repeats its status, as those of axios and Octokit do", () => {
    const response = { status: 429, headers: { "retry-after": "2" } };
    expect(classify(failed({ status: 429, response }))).toMatchObject({ outcome: "overload", retryAfterMs: 2_000 });
  });

  it("reads the headers of an error that has a code as well, as those of undici and AWS do", () => {
    const headers = { "retry-after": "2" };
    const undici = failed({ code: "UND_ERR_RESPONSE", statusCode: 503, headers });
    expect(classify(undici)).toMatchObject({ outcome: "overload", retryAfterMs: 2_000 });
    const aws = failed({ name: "SlowDown", $metadata: { httpStatusCode: 503 }, $response: { headers } });
    expect(classify(aws)).toMatchObject({ outcome: "overload", retryAfterMs: 2_000 });
  });

  it("takes a value with a status for a response only if it has headers", () => {
    expect(httpOutcome({ value: { status: 429, user: "ann" } })).toBeUndefined();
    expect(httpOutcome({ value: { status: 429, headers: {} } })).toMatchObject({ outcome: "overload" });
  });

  it("reads bare status numbers where it is told to", () => {
    expect([httpStatus({ value: 200 }), httpStatus({ value: 429 }), httpStatus({ value: 7 })]).toEqual([
      "success",
      "overload",
      undefined,
    ]);
  });

  it.each([
    ["120", undefined, 120_000],
    ["99999999999999999999", undefined, 366 * 86_400_000],
    ["-5", undefined, undefined],
    ["1.5", undefined, 1_500],
    ["soon", undefined, undefined],
    ["", undefined, undefined],
    ["Mon, 23 Nov 2026 01:00:30 GMT", "Mon, 23 Nov 2026 01:00:00 GMT", 30_000],
    ["Mon, 23 Nov 2026 00:59:00 GMT", "Mon, 23 Nov 2026 01:00:00 GMT", undefined],
    ["Mon, 23 Nov 2026 01:00:30 GMT", undefined, undefined],
    ["Fri, 31 Dec 9999 23:59:59 GMT", "Mon, 23 Nov 2026 01:00:00 GMT", 366 * 86_400_000],
  ])("reads Retry-After %j, with Date %j, as %j ms", (retryAfter, date, ms) => {
    const headers = new Headers({ "retry-after": retryAfter, ...(date === undefined ? {} : { date }) });
    expect(httpOutcome({ value: { status: 429, headers } })).toMatchObject({ retryAfterMs: ms });
  });

  it.each([
    ["queue;dur=0", 0],
    ['total;dur=50, Queue;desc="wait";dur="3.5"', 3.5],
    ["queue", undefined],
    ["queue;dur=-3", undefined],
    ["queue;dur=NaN", undefined],
    ["queue;dur=1e9", undefined],
    ["queue;dur=99999999999", undefined],
    ["queued;dur=4", undefined],
  ])("reads Server-Timing %j as a wait of %j ms", (timing, waitMs) => {
    const known = httpOutcome({ value: new Response(null, { headers: { "server-timing": timing } }) });
    expect(known).toMatchObject({
      outcome: "success",
      report: waitMs === undefined ? undefined : { queueWaitMs: waitMs },
    });
  });
});

describe("the rules for errors", () => {
  it("of gRPC do not take a number that is another system's for a code of gRPC", () => {
    expect(grpcOutcome({ error: new DOMException("gone", "NotFoundError") })).toBeUndefined();
    expect(grpcOutcome(failed({ code: 14 }))).toBeUndefined();
    expect(grpcOutcome(failed({ code: 8, rawMessage: "quota", metadata: new Headers() }))).toEqual({
      outcome: "overload",
      refused: true,
      retryAfterMs: undefined,
    });
    expect(grpcOutcome(failed({ code: 14, details: "no connection" }))).toBe("overload");
    expect(grpcOutcome(failed({ code: 99, details: "" }))).toBeUndefined();
  });

  it("of AWS know version 2 by its code, and throttling that only a trait tells", () => {
    expect(awsOutcome(failed({ code: "SlowDown", statusCode: 503 }))).toMatchObject({ outcome: "overload" });
    expect(awsOutcome(failed({ code: "AccessDenied", statusCode: 403 }))).toMatchObject({ outcome: "ignored" });
    expect(awsOutcome(failed({ name: "Odd", $fault: "client", $retryable: { throttling: true } }))).toMatchObject({
      outcome: "overload",
      refused: true,
    });
    expect(awsOutcome(failed({ name: "ThrottlingException" }))).toBeUndefined();
    // By its status alone it would say something of the request.
    expect(classify(failed({ code: "ThrottlingException", statusCode: 400 }))).toMatchObject({
      outcome: "overload",
      refused: true,
    });
    expect(awsOutcome(failed({ name: "SyntaxError", $metadata: { httpStatusCode: 200 } }))).toMatchObject({
      outcome: "failure",
    });
  });

  it("of Node look at the cause, as fetch needs it, and tell both of axios's meanings apart", () => {
    const cause = Object.assign(new Error("late"), { code: "UND_ERR_HEADERS_TIMEOUT" });
    expect(nodeOutcome({ error: new TypeError("fetch failed", { cause }) })).toBe("overload");
    const axios = (message: string) =>
      nodeOutcome({ error: Object.assign(new Error(message), { code: "ECONNABORTED" }) });
    expect([axios("timeout of 50ms exceeded"), axios("Request aborted")]).toEqual(["overload", "ignored"]);
    expect(nodeOutcome(failed({ code: "constructor" }))).toBeUndefined();
    // What a slot's signal ended.
    expect(nodeOutcome(failed({ code: "DT_SLOT_LOST" }))).toBe("ignored");
    expect(nodeOutcome(failed({ code: "DT_SLOT_OVERDUE" }))).toBe("overload");
  });

  it("end with a chain of causes that bites its own tail", () => {
    const error = new Error("round") as Error & { cause?: unknown };
    error.cause = error;
    expect(classify({ error })).toEqual({ outcome: "failure" });
  });
});
