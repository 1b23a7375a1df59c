/** What is proved, and with what. */
export interface ProofSettings {
  readonly records: number;
  readonly parts: number;
  /** Calls of all parts together, such as `2000/s`. */
  readonly max: string;
  /** What befalls the callee, as `dt callee --phases` takes it. */
  readonly phases: string;
  /** How long a request takes at the callee. */
  readonly takes: string;
  /** A call without an answer for so long has failed. */
  readonly timeout: string;
  /** Of each part. */
  readonly concurrency: number;
  /** One part is killed when so much of the input was sent, from 0 to 1. */
  readonly killAfter: number;
}

/** All that can befall a callee, in turn; 100,000 records, of which some are sent again. */
export const FULL: ProofSettings = {
  records: 100_000,
  parts: 4,
  max: "2000/s",
  phases: "ok:6s,throttle:2s,ok:6s,fail:2s,ok:6s,slow=400ms:3s,ok:6s,hang:2s,ok:6s,cut:2s",
  takes: "5ms",
  timeout: "1500ms",
  concurrency: 32,
  killAfter: 0.5,
};

/** The same in a few seconds. */
export const SMALL: ProofSettings = {
  records: 3_000,
  parts: 4,
  max: "800/s",
  phases: "ok:1s,throttle:500ms,ok:1s,fail:500ms,ok:1s,slow=200ms:1s,ok:1s,hang:500ms,ok:1s,cut:500ms",
  takes: "2ms",
  timeout: "400ms",
  concurrency: 16,
  killAfter: 0.4,
};
