/** The right to act at one instant, which has come. A permit that is not used cannot be given back. */
export interface Permit {
  /** How long after its instant the caller was woken, in milliseconds; at most `permitTtl`. */
  readonly lateMs: number;
}
