/** Kind and name identify a limiter: a throttle and a semaphore of one name are two groups on a store. */
export const SEMAPHORE_PREFIX = "semaphore/";

/** The group of a semaphore on its store. */
export function semaphoreGroup(name: string): string {
  return SEMAPHORE_PREFIX + name;
}
