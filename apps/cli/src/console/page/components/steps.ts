import uPlot from "uplot";

/** A value holds until the next one is known: no slopes between two looks at the store. */
export function steps(): uPlot.Series.PathBuilder {
  const { stepped } = uPlot.paths;
  if (stepped === undefined) throw new Error("this build of uPlot draws no steps");
  return stepped({ align: 1 });
}
