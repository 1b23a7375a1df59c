import type { ComponentChildren, JSX } from "preact";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { type Order, type SortValue, sorted, windowOf } from "../rows.ts";

/** The height of a row in pixels; the stylesheet has the same. */
const ROW = 34;

/** A column of a table. */
export interface ColumnOf<Row> {
  readonly id: string;
  readonly title: string;
  readonly numeric?: boolean;
  /** Left out where the window is narrow. */
  readonly wide?: boolean;
  /** Absent: not sortable. */
  readonly sort?: (row: Row) => SortValue;
  readonly cell: (row: Row) => ComponentChildren;
}

interface Props<Row> {
  readonly label: string;
  readonly testId: string;
  readonly rows: readonly Row[];
  /** The first one names the row. */
  readonly columns: readonly ColumnOf<Row>[];
  readonly keyOf: (row: Row) => string;
  /** Where a row leads; absent where it leads nowhere. */
  readonly hrefOf?: (row: Row) => string;
  /** Undefined: as the rows come. */
  readonly firstOrder?: Order;
  /** What stands in place of no rows. */
  readonly empty: string;
  /** The whole of what the active row says where the columns cut it short. */
  readonly detail?: (row: Row) => ComponentChildren;
}

/** A sortable table of which only the rows in sight are in the document, however many there are. */
export function DataTable<Row>(props: Props<Row>): JSX.Element {
  const { label, testId, rows, columns, keyOf, firstOrder, empty, detail } = props;
  const box = useRef<HTMLDivElement>(null);
  const [order, setOrder] = useState(firstOrder);
  const [active, setActive] = useState<string>();
  const [scroll, setScroll] = useState({ top: 0, height: 800 });
  const focusNext = useRef<string>(undefined);

  const ordered = useMemo(() => {
    const column = columns.find(({ id }) => id === order?.by);
    return column?.sort === undefined ? rows : sorted(rows, column.sort, order?.descending ?? false);
    // Columns are made anew with each frame, and sort by the same.
  }, [rows, order]);
  const shown = windowOf(ordered.length, ROW, scroll.top, scroll.height);
  const drawn = ordered.slice(shown.from, shown.to);
  const activeRow = active === undefined ? undefined : ordered.find((row) => keyOf(row) === active);
  // One row is in the order of Tab: the active one, or the first in sight.
  const tabbed = drawn.some((row) => keyOf(row) === active) ? active : drawn[0] && keyOf(drawn[0]);

  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const look = (): void => setScroll({ top: element.scrollTop, height: element.clientHeight });
    const observer = new ResizeObserver(look);
    observer.observe(element);
    element.addEventListener("scroll", look, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", look);
    };
  }, []);
  useLayoutEffect(() => {
    if (focusNext.current === undefined) return;
    const found = box.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(focusNext.current)}"]`);
    if (!found) return;
    focusNext.current = undefined;
    found.focus({ preventScroll: true });
  });

  const keyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || box.current === null) return;
    const now = ordered.findIndex((row) => keyOf(row) === (active ?? tabbed));
    const next = indexAfter(event.key, now, ordered.length, Math.floor(scroll.height / ROW) - 2);
    const row = next === undefined ? undefined : ordered[next];
    if (row === undefined || next === undefined) return;
    event.preventDefault();
    setActive(keyOf(row));
    focusNext.current = keyOf(row);
    const [top, bottom] = [next * ROW, (next + 2) * ROW];
    if (top < box.current.scrollTop) box.current.scrollTop = top;
    else if (bottom > box.current.scrollTop + box.current.clientHeight)
      box.current.scrollTop = bottom - box.current.clientHeight;
  };
  const sortBy = (column: ColumnOf<Row>): void =>
    setOrder({ by: column.id, descending: order?.by === column.id ? !order.descending : column.numeric === true });

  return (
    <>
      <div class="table" ref={box} data-testid={testId}>
        <table aria-label={label} aria-rowcount={ordered.length + 1}>
          <thead>
            <tr aria-rowindex={1}>
              {columns.map((column) => (
                <Head key={column.id} column={column} order={order} onSort={() => sortBy(column)} />
              ))}
            </tr>
          </thead>
          <tbody>
            <Spacer rows={shown.from} columns={columns.length} />
            {drawn.map((row, i) => (
              <BodyRow
                key={keyOf(row)}
                row={row}
                index={shown.from + i + 2}
                tabbed={keyOf(row) === tabbed}
                isActive={keyOf(row) === active}
                onActive={() => setActive(keyOf(row))}
                onKeyDown={keyDown}
                {...props}
              />
            ))}
            <Spacer rows={ordered.length - shown.to} columns={columns.length} />
          </tbody>
        </table>
        {ordered.length === 0 && <p class="empty">{empty}</p>}
      </div>
      {detail !== undefined && (
        <p class="detail" data-testid={`${testId}-detail`}>
          {activeRow === undefined ? "Choose a row to read all of it." : detail(activeRow)}
        </p>
      )}
    </>
  );
}

/** Where a key leads from a row; undefined for other keys. */
function indexAfter(key: string, now: number, count: number, page: number): number | undefined {
  const by: Readonly<Record<string, number>> = {
    j: now + 1,
    ArrowDown: now + 1,
    k: now - 1,
    ArrowUp: now - 1,
    PageDown: now + page,
    PageUp: now - page,
    Home: 0,
    End: count - 1,
  };
  const next = by[key];
  return next === undefined ? undefined : Math.max(0, Math.min(count - 1, next));
}

interface HeadProps<Row> {
  readonly column: ColumnOf<Row>;
  readonly order: Order | undefined;
  readonly onSort: () => void;
}

function Head<Row>({ column, order, onSort }: HeadProps<Row>): JSX.Element {
  const isSorted = order?.by === column.id;
  const direction = order?.descending ? "descending" : "ascending";
  return (
    <th scope="col" class={classOf(column)} aria-sort={isSorted ? direction : undefined}>
      {column.sort === undefined ? (
        column.title
      ) : (
        <button type="button" onClick={onSort}>
          {column.title}
        </button>
      )}
    </th>
  );
}

interface RowProps<Row> extends Props<Row> {
  readonly row: Row;
  readonly index: number;
  readonly tabbed: boolean;
  readonly isActive: boolean;
  readonly onActive: () => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

function BodyRow<Row>(props: RowProps<Row>): JSX.Element {
  const { row, index, tabbed, isActive, onActive, onKeyDown, columns, keyOf, hrefOf } = props;
  const [name, ...others] = columns;
  const focusable = { "data-row": keyOf(row), tabIndex: tabbed ? 0 : -1, onFocus: onActive, onKeyDown };
  return (
    <tr aria-rowindex={index} class={isActive ? "active" : undefined} onClick={onActive}>
      {name !== undefined && (
        <th scope="row" class={classOf(name)}>
          {hrefOf === undefined ? (
            <span {...focusable}>{name.cell(row)}</span>
          ) : (
            <a {...focusable} href={hrefOf(row)}>
              {name.cell(row)}
            </a>
          )}
        </th>
      )}
      {others.map((column) => (
        <td key={column.id} class={classOf(column)}>
          {column.cell(row)}
        </td>
      ))}
    </tr>
  );
}

/** Stands for rows that are not drawn. */
function Spacer({ rows, columns }: { readonly rows: number; readonly columns: number }): JSX.Element | null {
  if (rows <= 0) return null;
  return (
    <tr class="spacer">
      <td colSpan={columns} style={{ height: `${rows * ROW}px` }} />
    </tr>
  );
}

function classOf<Row>({ id, numeric, wide }: ColumnOf<Row>): string {
  return [`c-${id}`, numeric && "num", wide && "wide"].filter(Boolean).join(" ");
}
