import { type AnswerReader, usualReader, verdictOf } from "../answer/reader.ts";
import { awsRule } from "./aws.ts";
import { type Classifier, classifier, type Rule } from "./classify.ts";
import { grpcOutcome } from "./grpc.ts";
import { httpRule } from "./http.ts";
import { nodeOutcome } from "./node-errors.ts";

/**
 * The default classifier, with a reader of one's own.
 * @example throttled(records, call, { classify: classifierOf(createAnswerReader({ told })) })
 */
export function classifierOf(reader: AnswerReader): Classifier {
  const hooked: Rule = (ended) => {
    const told = "error" in ended ? reader.readError(ended.error) : undefined;
    return told && verdictOf(told);
  };
  return classifier(awsRule(reader), httpRule(reader), hooked, grpcOutcome, nodeOutcome);
}

/**
 * The classifier where none is given: AWS, HTTP, gRPC, then Node. AWS comes first, since its throttling often has the
 * status 400.
 */
export const classify: Classifier = classifierOf(usualReader);
