import { awsOutcome } from "./aws.ts";
import { type Classifier, classifier } from "./classify.ts";
import { grpcOutcome } from "./grpc.ts";
import { httpOutcome } from "./http.ts";
import { nodeOutcome } from "./node-errors.ts";

/**
 * The classifier where none is given: AWS, HTTP, gRPC, then Node. AWS comes first, since its throttling often has the
 * status 400.
 */
export const classify: Classifier = classifier(awsOutcome, httpOutcome, grpcOutcome, nodeOutcome);
