/**
 * Sends what target files and stores print to standard error, until the function returned is called: standard output is
 * for the report alone.
 */
export function keepStdoutForReport(): () => void {
  const { write } = process.stdout;
  process.stdout.write = process.stderr.write.bind(process.stderr);
  return () => {
    process.stdout.write = write;
  };
}
