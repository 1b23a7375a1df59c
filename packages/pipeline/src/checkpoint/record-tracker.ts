/** The records of a pipeline that have ended, so that a later run can go on where this one ended. */
export interface RecordTracker {
  /** Once, before the first call. @param flush makes safe what the sinks were given so far */
  begin(flush: () => Promise<void>): void;
  /**
   * The ending of a record was taken by its sink, or the record was dropped; in any order. Awaited before another
   * record is begun.
   * @param index the how manyeth record of the source, from 0
   */
  ended(index: number): void | Promise<void>;
  /** Keeps how far it went; at the end, before the sinks are closed. */
  save(): Promise<void>;
}
