/** A failure whose message is all that the user needs; anything else is shown with its stack. */
export class Problem extends Error {}

/** Progress goes to stderr: stdout belongs to the command that is started. */
export function say(message) {
  process.stderr.write(`[bootstrap] ${message}\n`);
}

/** A stop signal ended a step of the bootstrap: there is nothing to report. */
export class Stopped extends Error {
  /** @param {NodeJS.Signals} signal */
  constructor(signal) {
    super(`stopped by ${signal}`);
    this.signal = signal;
  }
}
