import { Component, type ComponentChild, type ComponentType, h } from "preact";

/**
 * A component that is drawn again only where one of its properties is another: a frame changes the charts and leaves
 * the table of a thousand members alone, and the other way around.
 */
export function memo<Props extends object>(Inner: ComponentType<Props>): ComponentType<Props> {
  return class Memo extends Component<Props> {
    override shouldComponentUpdate(next: Readonly<Props>): boolean {
      const [now, then] = [Object.entries(this.props), new Map(Object.entries(next))];
      return now.length !== then.size || now.some(([name, value]) => !Object.is(value, then.get(name)));
    }

    override render(props: Props): ComponentChild {
      return h(Inner, props);
    }
  };
}
