import type { JSX } from "preact";
import type { LimitReport } from "../../../fleet/report.ts";
import { limitOf, percent, quantity, visible } from "../format.ts";
import { Bar } from "./bar.tsx";

/** The limits of a budget, and which of them binds. */
export function LimitsTable({ limits }: { readonly limits: readonly LimitReport[] }): JSX.Element {
  return (
    <section aria-label="Limits">
      <h2>
        Limits <span class="dim">{limits.length}</span>
      </h2>
      <div class="table">
        <table data-testid="limits">
          <thead>
            <tr>
              <th scope="col">Limit</th>
              <th scope="col" class="num">
                In force
              </th>
              <th scope="col" class="num">
                Used
              </th>
              <th scope="col" class="num">
                Of it
              </th>
              <th scope="col">Binds</th>
            </tr>
          </thead>
          <tbody>
            {limits.map((limit) => (
              <tr key={limit.name}>
                <th scope="row">{visible(limit.name)}</th>
                <td class="num">{limitOf(limit)}</td>
                <td class="num">{quantity(limit.used)}</td>
                <td class="num">
                  <Bar part={limit.utilization} full={limit.binds} />{" "}
                  <span class="part">{percent(limit.utilization)}</span>
                </td>
                <td>{limit.binds ? <b class="binds">binds</b> : <span class="dim">no</span>}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
