/** How the error of a line that is no record begins. By it the line is known again when dead letters are fed again. */
export const NOT_A_RECORD = "Not a record, number";

/**
 * A line of the input that is no record. It takes a record's place, so that it ends in the errors file and is not lost.
 */
export class BadLine {
  /** What is wrong with it; begins with {@link NOT_A_RECORD}. */
  readonly fault: string;
  readonly #text: string;

  constructor(text: string, fault: string) {
    this.#text = text;
    this.fault = fault;
  }

  /** In an output file it stands as text. */
  toJSON(): string {
    return this.#text;
  }
}
