/**
 * The highest rate, in calls a second, at which a quantile of calls is answered within a time: of a queue with several
 * servers, random arrivals and exponential service times (M/M/c, first in, first out). The time of a call is its wait,
 * which has an exponential tail, and its service.
 *
 * @param servers how many
 * @param serviceMs mean service time
 * @param quantile for example 0.99
 * @param withinMs the time
 */
export function highestRate(servers: number, serviceMs: number, quantile: number, withinMs: number): number {
  let [low, high] = [0, servers / serviceMs];
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (laterThan(servers, serviceMs, middle, withinMs) <= 1 - quantile) low = middle;
    else high = middle;
  }
  return 1000 * low;
}

/** The part of calls that take longer than `ms`; `rate` is in calls a millisecond. */
export function laterThan(servers: number, serviceMs: number, rate: number, ms: number): number {
  const service = 1 / serviceMs;
  const drain = servers * service - rate;
  const waits = erlangC(servers, rate * serviceMs);
  const alone = Math.exp(-service * ms);
  // The limit of the formula below where both rates are the same.
  if (Math.abs(drain - service) < 1e-9) return alone * (1 + waits * service * ms);
  return alone + (waits * service * (Math.exp(-drain * ms) - alone)) / (service - drain);
}

/** Erlang's C: the probability that a call has to wait. */
function erlangC(servers: number, load: number): number {
  let blocked = 1;
  for (let n = 1; n <= servers; n++) blocked = (load * blocked) / (n + load * blocked);
  return blocked / (1 - (load / servers) * (1 - blocked));
}
