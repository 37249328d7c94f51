import type { Effort } from './effort.ts'
import { formatTable, type MeasuredRow } from './table.ts'

const MS_PER_SECOND = 1000

/** The machine of the measurement. */
export interface Machine {
  readonly node: string
  readonly processor: string
  readonly cores: number
  readonly system: string
}

/** `docs/performance.md`: the last measured table, and how it was measured. */
export function formatReport(rows: readonly MeasuredRow[], of: { machine: Machine; load: string; effort: Effort }): string {
  const { machine, load, effort } = of
  return `# Performance

Written by \`npm run benchmark\`; do not edit. Absolute values depend on the machine. So each result is a ratio or a difference to a comparison
that anyone can run. Both sides are measured alternately (A B A B …) in one run; the result is the median of the rounds.

${formatTable(rows)}

- Node.js ${machine.node}, ${machine.processor}, ${machine.cores} cores, ${machine.system}; default flags everywhere.
- Load: ${load}, in a separate process, ${effort.rounds} rounds of ${effort.loadSeconds} s for each side (\`cached-read\`, \`notification\`, \`busy-bus\`). wrk is used
  if it is installed (Debian: \`apt-get install wrk\`), otherwise autocannon, which comes with the repository. \`memory\` always uses
  autocannon, which counts its requests. autocannon is slower than a bare server, so its ratios are too good.
- The bare server is \`benchmarks/src/programs/bare-server.ts\`: it sends the same status, headers and body; this is checked first.
- \`slotwire serve\` runs as built, with its default options. Only \`busy-bus\`, \`idle-write\` and \`alert\` have the device in the
  measuring process, to watch its bus and drive its pins. The twins of \`twin-hour\` and \`idle-twins\` run in
  separate programs (\`benchmarks/src/programs/\`). The cost of many twins is measured from outside, after ${effort.twinSettleMs / MS_PER_SECOND} s without requests.
- \`kernel-exchange\` has the kernel adapter in the measuring process, on a pseudo-terminal by socat that leads to a virtual io module. The
  bare loop is \`benchmarks/src/programs/bare-exchanges.ts\`.
- The processor time of a request is that of the server, user and kernel together. If it is steady while the rate varies, the machine
  had other work.

## Rows

${rows.map(({ row }) => `- \`npm run benchmark -- --only ${row.name}\`: ${row.what}`).join('\n')}

\`--quick\` measures for a short time, to check that everything works. Neither option writes this page.
`
}
