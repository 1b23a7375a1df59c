let left = false;

function onError(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE") throw error;
  left = true;
}

/**
 * Whoever reads the standard output may have had enough, as in `dt list ... | head`. That is no failure.
 * @returns true from then on
 */
export function watchReader(): () => boolean {
  if (!process.stdout.listeners("error").includes(onError)) process.stdout.on("error", onError);
  return () => left;
}
