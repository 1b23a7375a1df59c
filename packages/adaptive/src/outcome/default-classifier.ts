import { invalidOption, option } from "@dt/core/internal";
import { type AnswerReader, usualReader, verdictOf } from "../answer/reader.ts";
import { awsRule } from "./aws.ts";
import { type Classifier, classifier, type Rule } from "./classify.ts";
import { grpcOutcome } from "./grpc.ts";
import { httpRule } from "./http.ts";
import { nodeOutcome } from "./node-errors.ts";

/**
 * The default classifier, with a reader of one's own.
 * @param reader reads answers
 * @example throttled(records, call, { classify: classifierOf(createAnswerReader({ readAnswer })) })
 */
export function classifierOf(reader: AnswerReader): Classifier {
  const hooked: Rule = (ended) => {
    const report = "error" in ended ? reader.readError(ended.error) : undefined;
    return report && verdictOf(report);
  };
  return classifier(awsRule(reader), httpRule(reader), hooked, grpcOutcome, nodeOutcome);
}

/**
 * The classifier where none is given: AWS, HTTP, gRPC, then Node. AWS comes first, since its throttling often has the
 * status 400.
 */
export const classify: Classifier = classifierOf(usualReader);

/**
 * The classifier that an option asks for; without one the default. What is given may be a classifier or a single rule,
 * and its verdicts are checked: one that makes no sense must not be counted, nor cost a call's place.
 * @throws DtError `DT_INVALID_OPTION`
 */
export function checkClassifier(given: Rule | undefined): Classifier {
  if (given === undefined || given === classify) return classify;
  if (typeof given === "function") return classifier(given);
  throw invalidOption("classify", given, "give a function of how a call ended, such as classifier(httpOutcome)");
}

/** The option `classify` of a table. */
export const CLASSIFY: option.Option<Classifier> = option.checked((_, given) => checkClassifier(given as Rule));
