import type { Call, HintEvents, HintLink, Topic } from "@dt/core/store";
import { BUSY, type Connection } from "./connection.ts";
import type { HintFile } from "./hint-file.ts";
import type { OpenFile } from "./open-file.ts";
import { SqliteTable } from "./sqlite-table.ts";
import type { Statements } from "./statements.ts";

/** A topic, and the state that was seen of it last; undefined when it is not known. */
interface Seen {
  readonly topic: Topic;
  state: readonly string[] | undefined;
}

/** Hints of what other processes write. Looks at the file only when the file of hints is written. */
export function hintsOf(file: OpenFile, hintFile: HintFile, { onHint, onLost }: HintEvents): HintLink {
  const seen = new Map<string, Seen>();
  const look = (): void => {
    for (const entry of seen.values()) {
      const state = known(() => file.tryNow((connection) => stateOf(connection, entry.topic)));
      const before = entry.state;
      entry.state = state;
      // Unknown is told too: a hint too many costs one sync, a hint too few a whole interval.
      if (entry.state === undefined || before === undefined) onHint(entry.topic);
      else for (const text of newsOf(entry.topic, before, entry.state)) onHint(entry.topic, text);
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

function keyOf({ kind, name, member }: Topic): string {
  return JSON.stringify([kind, name, member]);
}

/** The texts of the hints that follow from another state: one without a text, but for slots and pauses (R35). */
function newsOf({ kind }: Topic, before: readonly string[], state: readonly string[]): readonly (string | undefined)[] {
  const changed = state.filter((part, at) => part !== before[at]);
  if (kind === "group" && state[1] !== before[1]) return ["pause"];
  if (kind !== "slots") return changed.length > 0 ? [undefined] : [];
  // A member that has reported has no hint any more.
  return changed.filter((part) => part !== "").map((part) => part.slice(part.indexOf(" ") + 1));
}

function known<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    // The next call meets the same error and tells its caller.
    return undefined;
  }
}

/** Texts of which one changes whenever the listeners of a topic are to be told. */
function stateOf(connection: Connection, { kind, name, member }: Topic): readonly string[] | typeof BUSY {
  return connection.transaction("read", (statements) => {
    if (kind === "group") {
      const row = new SqliteTable(statements, name).group();
      return [row ? `${row.generation} ${row.adopted === row.memberCount}` : "", `${row?.pausedUntilMs ?? 0}`];
    }
    if (kind === "slots") return slotHintsOf(statements, name, member as string);
    const row = statements.selectReleases.get(name) as { readonly releases: number } | undefined;
    return [row ? String(row.releases) : ""];
  });
}

/** The newest offer and the newest request for slots, each behind its time: its text may be that of the one before. */
function slotHintsOf(statements: Statements, group: string, member: string): readonly string[] {
  const row = statements.selectSlotHints.get(group, member) as SlotHintRow | undefined;
  return [row?.offer ? `${row.offeredMs} ${row.offer}` : "", row?.ask ? `${row.askedMs} ${row.ask}` : ""];
}

interface SlotHintRow {
  readonly offeredMs: number | null;
  readonly offer: string | null;
  readonly askedMs: number | null;
  readonly ask: string | null;
}
