/** What came of the signals of a server, or of one connection. All of them only grow. */
export interface SignalCounts {
  /** Signals sent. */
  sent: number;
  /** Those that were confirmed in time. */
  confirmed: number;
  /** Those that were not. */
  unconfirmed: number;
  /** Receipts that came later than that. */
  late: number;
  /** How often a client confirmed, and sent more than it may all the same. */
  broken: number;
  /** Payload taken from producers that were throttled and had not confirmed, in bytes. */
  unconfirmedBytes: number;
  /** Payload taken from producers that had confirmed to send nothing, in bytes. */
  brokenBytes: number;
}

export function noSignals(): SignalCounts {
  return { sent: 0, confirmed: 0, unconfirmed: 0, late: 0, broken: 0, unconfirmedBytes: 0, brokenBytes: 0 };
}
