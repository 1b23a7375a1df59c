/** Options of turbo: no output of what went well, and no screen of its own. */
export const turbo: readonly string[] = ["--output-logs=errors-only", "--ui=stream"];

/** Biome's command and options: warnings fail too. */
export const biome: readonly string[] = ["ci", "--error-on-warnings", "--colors=off"];
