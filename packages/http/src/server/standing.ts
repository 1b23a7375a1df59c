/** Integers in structured fields have fifteen digits. */
export const LARGEST_INTEGER = 999_999_999_999_999;

/** How a request stands with one policy, after it was counted. */
export interface Standing {
  readonly name: string;
  /** So much may be used in a window. */
  readonly quota: number;
  readonly windowMs: number;
  /** What is left of it. */
  readonly remaining: number;
  /** When there is more, in milliseconds from now. */
  readonly resetMs: number;
  /** Whose part of the policy it is, as clients are told; undefined where they are not. */
  readonly partition: string | undefined;
}

/** Why a request is not let through. */
export interface Refusal {
  /** `quota`: the policies named were used up. `capacity`: the server has too much at the moment, whoever asks. */
  readonly cause: "quota" | "capacity";
  /** The policies, by name. */
  readonly violated: readonly string[];
  /** When it is worth coming again, in milliseconds from now; undefined where nobody can say. */
  readonly retryAfterMs: number | undefined;
}
