import { decodePermits, type Head } from "@dt/cas";
import { isPauseNews } from "@dt/core/ledger";
import type { Listen, Topic } from "@dt/core/store";
import type { Driver } from "./driver.ts";
import { decodeHead } from "./head.ts";
import { groupKeys, permitKey } from "./keys.ts";

/**
 * Tells of each value of a key the text of the hint that follows from it, undefined where there is no news in it. A
 * value of undefined is a key that is gone.
 */
type NewsIn = (value: string | undefined) => "" | "pause" | undefined;

/**
 * Hints by watches of etcd, one for each group or key.
 * @param onHead hears every head, also when only the time in it has changed
 */
export function listenTo(driver: Driver, prefix: string, onHead: (group: string, head: Head) => void): Listen {
  const newsOf = ({ kind, name }: Topic, key: string): NewsIn =>
    kind === "group" ? newsOfHeads(key, (head) => onHead(name, head)) : newsOfPermits(key);
  return ({ onHint, onLost }) => {
    const watches = new Map<string, Promise<() => void>>();
    const stop = (key: string): void => {
      watches
        .get(key)
        ?.then((end) => end())
        .catch(() => {});
      watches.delete(key);
    };
    const watch = async (topic: Topic, key: string): Promise<() => void> => {
      const newsIn = newsOf(topic, key);
      let isUp = false;
      let isOver = false;
      const onChange = (value: string | undefined): void => {
        const news = newsIn(value);
        if (news !== undefined) onHint(topic, news || undefined);
      };
      const onEnd = (): void => {
        isOver = true;
        if (isUp) onLost();
      };
      // One that never came up fails its own call alone.
      const end = await driver.watch(key, onChange, onEnd);
      isUp = true;
      if (isOver) onLost();
      return end;
    };
    return {
      listen: async (topics, call) => {
        call.sent = true;
        const started = topics.map((topic) => {
          const key = keyOf(prefix, topic);
          const known = watches.get(key);
          if (known) return known;
          const begun = watch(topic, key);
          watches.set(key, begun);
          begun.catch(() => {
            if (watches.get(key) === begun) watches.delete(key);
          });
          return begun;
        });
        await Promise.all(started);
      },
      unlisten: (topic) => stop(keyOf(prefix, topic)),
      close: () => [...watches.keys()].forEach(stop),
    };
  };
}

function keyOf(prefix: string, { kind, name }: Topic): string {
  return kind === "group" ? groupKeys(prefix, name).head : permitKey(prefix, name);
}

/** The generation changed, an agreement was reached, or the group was paused. */
function newsOfHeads(key: string, onHead: (head: Head) => void): NewsIn {
  let before: Head | undefined;
  return (value) => {
    const head = readable(value, (text) => decodeHead(key, text));
    const isNews = head?.generation !== before?.generation || (head?.agreed === true && !before?.agreed);
    const isPaused = isPauseNews(before, head);
    before = head;
    if (head) onHead(head);
    return isPaused ? "pause" : isNews ? "" : undefined;
  };
}

/** Instants were given back since the version before. */
function newsOfPermits(key: string): NewsIn {
  let before: number | undefined;
  return (value) => {
    const releases = readable(value, (text) => decodePermits(text, key).releases);
    const isNews = releases !== before;
    before = releases;
    return isNews ? "" : undefined;
  };
}

/** What cannot be read counts as gone: whoever calls next is told what is wrong with it. */
function readable<T>(value: string | undefined, read: (text: string) => T): T | undefined {
  try {
    return value === undefined ? undefined : read(value);
  } catch {
    return undefined;
  }
}
