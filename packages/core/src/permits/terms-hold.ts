/**
 * Terms bind for so long after the last use of a key (P10): longer than those who use it are silent, shorter than a
 * deployment waits. So does the copy of a stored limit (P16, B13).
 */
export const TERMS_HOLD_MS = 10_000;
