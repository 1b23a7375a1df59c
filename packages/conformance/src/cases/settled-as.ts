/** How a call ended: `done`, or the code of its error. */
export function settledAs(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => "done",
    (error: { code?: string }) => error.code ?? String(error),
  );
}
