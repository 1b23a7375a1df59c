import type { Call, HintEvents, HintLink, Topic } from "@dt/core/store";
import { BUSY, type Connection } from "./connection.ts";
import type { HintFile } from "./hint-file.ts";
import type { OpenFile } from "./open-file.ts";
import { SqliteTable } from "./sqlite-table.ts";

/** A topic, and the state that was seen of it last; undefined when it is not known. */
interface Seen {
  readonly topic: Topic;
  state: string | undefined;
}

/** Hints of what other processes write. Looks at the file only when the file of hints is written. */
export function hintsOf(file: OpenFile, hintFile: HintFile, { onHint, onLost }: HintEvents): HintLink {
  const seen = new Map<string, Seen>();
  const look = (): void => {
    for (const entry of seen.values()) {
      const state = known(() => file.tryNow((connection) => stateOf(connection, entry.topic)));
      // Unknown is told too: a hint too many costs one sync, a hint too few a whole interval.
      if (state !== undefined && state === entry.state) continue;
      entry.state = state;
      onHint(entry.topic);
    }
  };
  const mute = hintFile.listen(look, onLost);
  return {
    // Opens the file if need be, so that a listener hears of an unsuitable file at once.
    listen: (topics: readonly Topic[], call: Call) =>
      file.run(call, (connection) => {
        // What was seen of a topic that is listened to already is what its listeners know.
        for (const topic of topics.filter((one) => !seen.has(keyOf(one)))) {
          const state = known(() => stateOf(connection, topic));
          seen.set(keyOf(topic), { topic, state: state === BUSY ? undefined : state });
        }
      }),
    unlisten: (topic) => void seen.delete(keyOf(topic)),
    close: mute,
  };
}

function keyOf({ kind, name }: Topic): string {
  return `${kind} ${name}`;
}

function known<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    // The next call meets the same error and tells its caller.
    return undefined;
  }
}

/** A text that changes whenever the listeners of a topic are to be told. */
function stateOf(connection: Connection, { kind, name }: Topic): string | typeof BUSY {
  return connection.transaction("read", (statements) => {
    if (kind === "group") {
      const row = new SqliteTable(statements, name).group();
      return row ? `${row.generation} ${row.adopted === row.memberCount}` : "";
    }
    const row = statements.selectReleases.get(name) as { readonly releases: number } | undefined;
    return row ? String(row.releases) : "";
  });
}
