/** One of several writers to one place. */
export interface Turn {
  /** Passes the text on when it is this writer's turn, and keeps it until then otherwise. */
  write(text: string): void;
  /** Nothing more comes: it is the next one's turn. */
  end(): void;
}

/**
 * Writers at the same time whose texts stay together and in order: the first one that has not ended is passed on at
 * once.
 */
export function takeTurns(count: number, write: (text: string) => void): readonly Turn[] {
  const kept = Array.from({ length: count }, (): string[] => []);
  const hasEnded = new Array<boolean>(count).fill(false);
  let current = 0;
  const passOn = (): void => {
    for (const text of kept[current]?.splice(0) ?? []) write(text);
    if (hasEnded[current] !== true) return;
    current += 1;
    passOn();
  };
  return kept.map((texts, index) => ({
    write(text) {
      texts.push(text);
      passOn();
    },
    end() {
      hasEnded[index] = true;
      passOn();
    },
  }));
}
