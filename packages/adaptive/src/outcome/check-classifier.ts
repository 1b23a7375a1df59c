import { invalidOption, option } from "@dt/core/kit";
import { type Classifier, classifier, type Rule } from "./classify.ts";
import { classify as usual } from "./default-classifier.ts";

/**
 * The classifier that an option asks for; without one the default. What is given may be a classifier or a single rule,
 * and its verdicts are checked: one that makes no sense must not be counted, nor cost a call's place.
 * @throws DtError `DT_INVALID_OPTION`
 */
export function checkClassifier(given: Rule | undefined): Classifier {
  if (given === undefined || given === usual) return usual;
  if (typeof given === "function") return classifier(given);
  throw invalidOption("classify", given, "give a function of how a call ended, such as classifier(httpOutcome)");
}

/** The option `classify` of a table. */
export const CLASSIFY: option.Option<Classifier> = option.checked((_, given) => checkClassifier(given as Rule));
