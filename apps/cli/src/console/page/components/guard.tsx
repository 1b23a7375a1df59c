import { Component, type ComponentChildren, type JSX } from "preact";
import { visible } from "../format.ts";
import { messageOf } from "./use-report.ts";

interface Props {
  readonly children: ComponentChildren;
}

interface Failed {
  readonly error: string | undefined;
}

/** Keeps a view that fails from taking the rest of the page with it. */
export class Guard extends Component<Props, Failed> {
  override state: Failed = { error: undefined };

  override componentDidCatch(error: unknown): void {
    this.setState({ error: messageOf(error) });
  }

  override render({ children }: Props, { error }: Failed): JSX.Element {
    if (error === undefined) return <>{children}</>;
    return (
      <section class="notice notice-attention" role="alert" data-testid="notice-failed">
        <h2>This view has failed</h2>
        <p>{visible(error)}</p>
        <p>
          Load the page again, and report it. <code>dt status</code> shows the same in a terminal.
        </p>
      </section>
    );
  }
}
