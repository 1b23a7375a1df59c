import { describe, expect, it } from "vitest";
import { toDtError } from "../src/errors.ts";

/** What AWS answers where no waiting helps: a start does not try again after these. */
describe("is refused with the remedy", () => {
  it.each([
    ["UnrecognizedClientException", "check the credentials"],
    ["AccessDeniedException", "check the credentials"],
    ["CredentialsProviderError", "check the credentials"],
    // Of STS, for a role that may not be taken.
    ["AccessDenied", "check the credentials"],
    ["InvalidClientTokenId", "check the credentials"],
    ["InvalidIdentityToken", "check the credentials"],
    ["SignatureDoesNotMatch", "check the credentials"],
    ["ExpiredToken", "check the credentials"],
    ["ResourceNotFoundException", "createTable()"],
  ])("%s", (name, remedy) => {
    const error = toDtError(Object.assign(new Error("refused"), { name }), { what: "dynamodb sync" });
    expect(error.code).toBe("DT_STORE_UNSUITABLE");
    expect(error.message).toContain(`${name}: refused; `);
    expect(error.message).toContain(remedy);
  });
});
