/** A panel of Grafana, as far as it is looked at here. */
export interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly datasource?: { readonly uid: string };
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly refId: string; readonly expr: string; readonly datasource: { uid: string } }[];
}

/** A dashboard of Grafana, as far as it is looked at here. */
export interface Dashboard {
  readonly panels: readonly Panel[];
  readonly annotations: { readonly list: readonly { readonly name: string; readonly expr: string }[] };
  readonly templating: { readonly list: readonly { readonly name: string; readonly type: string }[] };
}

/** What Grafana puts in the place of variables. */
const VARIABLES: Readonly<Record<string, string>> = { $name: ".*", $__rate_interval: "30s" };

/** Every query of a dashboard, with the variables' values in it, and where it stands. */
export function queriesOf(dashboard: string): { readonly where: string; readonly expr: string }[] {
  const { panels, annotations } = JSON.parse(dashboard) as Dashboard;
  const found = [
    ...panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ where: title, expr }))),
    ...annotations.list.map(({ name, expr }) => ({ where: name, expr })),
  ];
  return found.map(({ where, expr }) => ({
    where,
    expr: expr.replaceAll(/\$\w+/g, (variable) => VARIABLES[variable] ?? variable),
  }));
}
