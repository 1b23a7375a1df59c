import type { CoordinationStore, MemberRef, SlotAsk, SlotHint, SlotOffer } from "@dt/core";
import type { CaseContext } from "../context.ts";

/** How often an occasion is given for a hint, since hints may be lost. */
const LOOK_EVERY_MS = 20;
const LOOKS = 20;

/** The hints for one member, as they came. */
export class SlotHints {
  readonly came: (SlotHint | undefined)[] = [];
  /** Called with each. */
  onHint: (hint: SlotHint | undefined) => void = () => {};
  /** Ends the listening. */
  stop: () => void = () => {};
  readonly #context: CaseContext;

  private constructor(context: CaseContext) {
    this.#context = context;
  }

  /** @throws SkippedCase where the store sends no hints of slots */
  static async of(context: CaseContext, store: CoordinationStore, group: string, ref: MemberRef): Promise<SlotHints> {
    const hints = new SlotHints(context);
    hints.stop = await context.hintsOfSlots(store).onSlotHint(group, ref, (hint) => {
      hints.came.push(hint);
      hints.onHint(hint);
    });
    return hints;
  }

  get offers(): readonly SlotOffer[] {
    return this.came.filter((hint) => hint?.kind === "offer");
  }

  get asks(): readonly SlotAsk[] {
    return this.came.filter((hint) => hint?.kind === "ask");
  }

  /**
   * Gives occasion after occasion until a hint of this kind has come.
   * @param occasion what the store should send it for
   */
  async until<Kind extends SlotHint["kind"]>(
    kind: Kind,
    what: string,
    occasion: () => Promise<unknown>,
  ): Promise<Extract<SlotHint, { readonly kind: Kind }>> {
    const find = (): SlotHint | undefined => this.came.find((hint) => hint?.kind === kind);
    const found = await this.#context.until(async () => {
      await occasion();
      for (let look = 0; look < LOOKS && !find(); look++) await this.#context.sleep(this.#context.ms(LOOK_EVERY_MS));
      return find();
    }, `no ${kind} comes although ${what}`);
    return found as Extract<SlotHint, { readonly kind: Kind }>;
  }
}
