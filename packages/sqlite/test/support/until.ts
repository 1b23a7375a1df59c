/** Waits for a condition, and fails with `what` when it does not come true within two minutes: against hangs only. */
export async function until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 120_000;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`not within 120 s: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
