/** Runs `body` with an environment variable set, and puts it back. */
export async function withVariable(name: string, value: string, body: () => Promise<void>): Promise<void> {
  const before = process.env[name];
  process.env[name] = value;
  try {
    await body();
  } finally {
    if (before === undefined) delete process.env[name];
    else process.env[name] = before;
  }
}
