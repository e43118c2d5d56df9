/** Round numbers between two values, about as many as wanted: the rules of a chart. */
export function niceSteps(low: number, top: number, count: number): number[] {
  const rough = Math.max(top - low, 1) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= rough)!;
  const steps: number[] = [];
  for (let at = Math.ceil(low / step) * step; at <= top; at += step)
    steps.push(Math.round(at * 1000) / 1000);
  return steps;
}

/** The range that holds all intervals of a table. */
export function intervalScale(rows: { low: number; high: number }[]): [number, number] {
  return [Math.min(...rows.map((row) => row.low)), Math.max(...rows.map((row) => row.high))];
}
