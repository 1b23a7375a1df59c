import { runConformance } from "@dt/conformance";
import type { TargetResult } from "./results.ts";
import type { Entry } from "./targets.ts";

/** Starts a target's servers, runs the suite, stops them. Says on `say` how it goes; never rejects. */
export async function runTarget({ target, concurrency }: Entry, say: (line: string) => void): Promise<TargetResult> {
  const { name } = target;
  try {
    say(`${name}: starting`);
    await target.start?.();
    let ended = 0;
    const report = await runConformance(target, {
      ...(concurrency !== undefined && { concurrency }),
      onResult: ({ failure }) => {
        ended += 1;
        if (failure) say(`${name}: FAILED ${failure.rule}: ${failure.case}\n  ${failure.message}`);
        else if (ended % 25 === 0) say(`${name}: ${ended} cases`);
      },
    });
    const { passed, failed, skipped } = report;
    say(
      `${name}: ${passed} passed, ${failed} failed, ${skipped.length} skipped in ${(report.ms / 1_000).toFixed(1)} s`,
    );
    return { name, passed, failed, skipped };
  } catch (error) {
    say(`${name}: FAILED: ${error instanceof Error ? error.stack : String(error)}`);
    return { name, passed: 0, failed: 1, skipped: [] };
  } finally {
    await stop(target, say);
  }
}

/** Servers that cannot be stopped are said, and end with this process. */
async function stop(target: Entry["target"], say: (line: string) => void): Promise<void> {
  try {
    await target.stop?.();
  } catch (error) {
    say(`${target.name}: stopping failed: ${String(error)}`);
  }
}
