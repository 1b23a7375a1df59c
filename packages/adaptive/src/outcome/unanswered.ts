import { httpStatusOf } from "../answer/answer-of.ts";
import { awsTimeout } from "./aws.ts";
import type { Ended } from "./classify.ts";
import { grpcCode } from "./grpc.ts";
import { nodeOutcome } from "./node-errors.ts";

const GATEWAY_TIMEOUT = 504;
const DEADLINE_EXCEEDED = 4;

/**
 * True when a call ended without an answer in time, rather than with a refusal: the callee may have done all of it.
 * Knows timeouts of Node, `fetch`, HTTP clients and AWS, the status 504, and DEADLINE_EXCEEDED of gRPC.
 * @param ended how the call ended: its value or its error
 * @example if (unanswered({ error })) console.error("no answer");
 */
export function unanswered(ended: Ended): boolean {
  const status = httpStatusOf(ended);
  if (awsTimeout(ended)) return true;
  if (status !== undefined) return status === GATEWAY_TIMEOUT;
  const code = grpcCode(ended);
  return code === undefined ? nodeOutcome(ended) === "overload" : code === DEADLINE_EXCEEDED;
}
