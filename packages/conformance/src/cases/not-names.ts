/** What is no name of a group, a member or a key. */
export const NOT_NAMES: readonly unknown[] = [
  "",
  "x".repeat(1_025),
  "日".repeat(342),
  "a\ud800b",
  "a\0b",
  7,
  null,
  undefined,
];
