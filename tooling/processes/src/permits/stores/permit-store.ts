/** A store to run against, whose server can be stopped, restarted and cut off from one worker. */
export interface PermitStore {
  readonly name: string;
  /**
   * The least distance of permits that many contending processes can be given, where 20 ms are too many calls for it:
   * with compare-and-swap all writes of a key come one after the other.
   */
  readonly leastEveryMs?: number;
  /**
   * True where the store has no clock and the key's is made of the processes': then nobody but the processes can say
   * what it showed when.
   */
  readonly hybridClock?: boolean;
  start(): Promise<StartedStore>;
}

export interface StartedStore {
  /** What makes the store in a process: a module, a function of it, and that function's options. */
  readonly module: string;
  readonly factory: string;
  readonly options: object;
  /** The options of the worker that is cut off; absent where there is no network to cut. */
  readonly throughProxy?: object;
  /** For so long the server answers nobody, and then goes on as if nothing had been. */
  standStill(ms: number): Promise<void>;
  /** Ends the server and starts it again with its data; absent where there is no server. */
  restart?(): Promise<void>;
  /** Kills the server, and starts it again without its data; absent where a client does not get over that. */
  forget?(): Promise<void>;
  /** Kills the server, and starts it again with its data after so long; absent where there is no server. */
  die?(ms: number): Promise<void>;
  /** For so long the server hears the worker behind the proxy, and its answers are lost. */
  loseReplies?(ms: number): Promise<void>;
  stop(): Promise<void>;
}
