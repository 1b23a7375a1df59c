/** What may happen next. */
export const ARRIVAL = 0;
export const REACHED = 1;
export const DONE = 2;
export const REPLY = 3;
export const CANCEL = 4;
export const CHANGE = 5;
export const PAUSE = 6;
export const RESUME = 7;
export const SAMPLE = 8;
export const TIMER = 9;
