/** How long a call may take: its deadline is 1 s; a busy machine may take a while to say so. */
export const SETTLED_MS = 1_600;
