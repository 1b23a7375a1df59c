/**
 * The deadline where calls must fail by it, and others must succeed within it: in the default of a second a busy
 * machine may not come to open a connection.
 */
export const DEADLINE_MS = 2_000;

/** How long a call with that deadline may take: a busy machine may take a while to say so. */
export const SETTLED_MS = DEADLINE_MS + 600;

/** The same with the default deadline, of a second: where nothing but the failure is in time. */
export const SETTLED_BY_DEFAULT_MS = 1_600;
