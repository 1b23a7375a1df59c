import { useEffect, useState } from "preact/hooks";

/** The time by the clock of this browser, each second while it is wanted. */
export function useNow(wanted: boolean): number {
  const [nowMs, setNow] = useState(Date.now);
  useEffect(() => {
    if (!wanted) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [wanted]);
  return nowMs;
}
