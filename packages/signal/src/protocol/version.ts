/** What each side calls itself in the handshake. Nothing follows from it: abilities are feature flags. */
export const VERSION = "@dt/signal 1";
