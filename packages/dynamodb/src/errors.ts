import { DtError, type DtErrorCode, type Effect } from "@dt/core";
import { discreet } from "@dt/core/ledger";
import type { Call } from "@dt/core/store";

/**
 * A call is several requests, and one that failed says little about those before it: the effect is known only where
 * none can have succeeded.
 */
type Meaning = readonly [code: DtErrorCode, effect: Effect, remedy: string];

const ACCESS: Meaning = [
  "DT_STORE_UNSUITABLE",
  "unknown",
  "check the credentials, and allow dynamodb:GetItem, PutItem, DeleteItem and Query on the table, and Scan for tools that list groups",
];
const THROTTLED: Meaning = [
  "DT_STORE_UNAVAILABLE",
  "unknown",
  "the table is throttled: raise its capacity, use on-demand billing, or sync less often",
];

/** What the names of DynamoDB's errors mean, and what a user can do about them. */
const MEANINGS: Readonly<Record<string, Meaning>> = {
  ResourceNotFoundException: [
    "DT_STORE_UNSUITABLE",
    "definite",
    "the table does not exist, or not yet: make it with createTable() or one of the templates",
  ],
  ValidationException: [
    "DT_STORE_UNSUITABLE",
    "unknown",
    "the table needs a partition key pk and a sort key sk, both text; a group's ledger must stay below 400 KB",
  ],
  AccessDeniedException: ACCESS,
  UnrecognizedClientException: ACCESS,
  InvalidSignatureException: ACCESS,
  IncompleteSignatureException: ACCESS,
  MissingAuthenticationTokenException: ACCESS,
  ExpiredTokenException: ACCESS,
  CredentialsProviderError: ACCESS,
  // Of STS, which the SDK asks for a role's credentials.
  AccessDenied: ACCESS,
  InvalidClientTokenId: ACCESS,
  InvalidIdentityToken: ACCESS,
  SignatureDoesNotMatch: ACCESS,
  ExpiredToken: ACCESS,
  ProvisionedThroughputExceededException: THROTTLED,
  RequestLimitExceeded: THROTTLED,
  ThrottlingException: THROTTLED,
};

/** What DynamoDB or its client threw, as the contract's. */
export function toDtError(error: unknown, { what }: Pick<Call, "what">): DtError {
  const { name, message } = error instanceof Error ? error : { name: "", message: String(error) };
  const known = MEANINGS[name];
  const [code, effect, remedy] = known ?? ["DT_STORE_UNAVAILABLE", "unknown", ""];
  const text = [name, message].filter((part) => part !== "" && part !== "Error").join(": ");
  return new DtError(code, `${what} failed: ${text}${remedy ? `; ${remedy}` : ""}`, {
    effect,
    cause: discreet(error),
  });
}
