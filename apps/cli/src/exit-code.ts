/** What the process's exit code means, the same for every command. */
export const EXIT = {
  ok: 0,
  /** The command did its work and the answer is no, or it could not do its work. */
  failed: 1,
  /** The command line, or a file it names, makes no sense. */
  usage: 2,
  /** Done, and a person should look: there are dead letters, or something is wrong in a fleet. */
  attention: 3,
  /** 128 + SIGINT, as shells have it. */
  interrupted: 130,
  /** 128 + SIGTERM. */
  terminated: 143,
} as const;

/** What the user asked for cannot be done as asked: printed without a stack, exit code 2. */
export class UsageError extends Error {}

/** Something outside went wrong, a store or a file: printed without a stack, exit code 1. */
export class Failure extends Error {}
