/** What most scenarios have in common. */
export const usual = {
  seconds: 180,
  measured: { fromSeconds: 20, toSeconds: 180 },
  timeoutMs: 1_000,
  cancels: false,
} as const;
