import type { Effort } from './effort.ts'
import { formatTable, type MeasuredRow } from './table.ts'

const MS_PER_SECOND = 1000

/** What the figures depend on. */
export interface Machine {
  readonly node: string
  readonly processor: string
  readonly cores: number
  readonly system: string
}

/** `docs/performance.md`: the last measured table, and how it was made. */
export function formatReport(rows: readonly MeasuredRow[], of: { machine: Machine; load: string; effort: Effort }): string {
  const { machine, load, effort } = of
  return `# Performance

Written by \`npm run benchmark\`; do not edit. Absolute figures move with the machine, so what counts is a ratio or a difference to something
that anyone can run, measured in turn (A B A B …) in one run: the median of its rounds.

${formatTable(rows)}

- Node.js ${machine.node}, ${machine.processor}, ${machine.cores} cores, ${machine.system}; default flags everywhere.
- Load: ${load}, in a process of its own, ${effort.rounds} rounds of ${effort.loadSeconds} s for each side (\`cached-read\`, \`notification\`, \`busy-bus\`). wrk is taken
  where it is installed (Debian: \`apt-get install wrk\`), autocannon, which comes with the repository, otherwise; for \`memory\` always
  autocannon, which counts its requests. autocannon is itself slower than a bare server: its ratios flatter.
- The bare server is \`benchmarks/src/programs/bare-server.ts\`: it gives the same status, headers and body, which is checked first.
- \`slotwire serve\` runs as it is built, with its default options. Only \`busy-bus\`, \`idle-write\` and \`alert\` have the device in the
  measuring process, where its bus can be watched and its pins be touched. The twins of \`twin-hour\` and \`idle-twins\` are in
  programs of their own (\`benchmarks/src/programs/\`); what many twins cost is looked at from outside, after ${effort.twinSettleMs / MS_PER_SECOND} s left alone.
- \`kernel-exchange\` has the kernel adapter in the measuring process, on a pseudo-terminal by socat with a virtual io module behind it. The
  bare loop is \`benchmarks/src/programs/bare-exchanges.ts\`.
- The processor time of a request is the server's own, user and kernel together. Where it is steady while the rate is not, the machine
  had other work.

## Rows

${rows.map(({ row }) => `- \`npm run benchmark -- --only ${row.name}\`: ${row.what}`).join('\n')}

\`--quick\` measures shortly, to see that everything runs. Neither option writes this page.
`
}
