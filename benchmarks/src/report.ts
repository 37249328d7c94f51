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

/** `docs/performance.md`: the last measured table, when and how it was made. `day` as in 2026-11-22. */
export function formatReport(
  rows: readonly MeasuredRow[],
  of: { machine: Machine; load: string; effort: Effort; day: string },
): string {
  const { machine, load, effort, day } = of
  return `# Performance

After this page you know how fast Slotwire is, how that was measured, and how to measure it yourself. \`npm run benchmark\` writes this page; do not edit it.
All figures were measured on ${day}. Absolute figures depend on the machine: compare ratios and differences to the programs under *against*. Both
are measured in turn (A B A B …) in one run; the median of the rounds counts.

${formatTable(rows)}

- Machine: Node.js ${machine.node}, ${machine.processor}, ${machine.cores} cores, ${machine.system}; default flags everywhere.
- Load: ${load}, in its own process, ${effort.rounds} rounds of ${effort.loadSeconds} s for each side (\`cached-read\`, \`notification\`, \`busy-bus\`). Install wrk for this
  (Debian: \`apt-get install wrk\`); without it autocannon, which comes with the repository, is used. autocannon is slower than a bare server and so
  improves the ratios. \`memory\` always uses autocannon, which counts its requests. Decision 0218 says what holds the
  memory.
- The bare server is \`benchmarks/src/programs/bare-server.ts\`. The benchmark first checks that it sends the same status, headers and body.
- \`slotwire serve\` runs as built, with default options; \`start-up\` runs the installed npm package, which is bundled. \`busy-bus\`, \`idle-write\` and \`alert\` run the device in the measuring process, to watch its bus
  and change its pins. \`twin-hour\` and \`idle-twins\` run their twins in other programs (\`benchmarks/src/programs/\`). The cost of many twins
  is measured from outside, after ${effort.twinSettleMs / MS_PER_SECOND} s without requests.
- \`fresh-read\`, \`device-idle\` and \`device-memory\` run \`slotwire serve\` on a simulated kernel (\`benchmarks/src/programs/kernel-device.ts\`) with the
  four modules of the default device, and count every process of it, after ${effort.restSettleMs / MS_PER_SECOND} s and for ${effort.restWatchMs / MS_PER_SECOND} s at rest. Private memory is what no
  other process shares. The simulated kernel is another Node.js program, so the pages of Node.js itself are shared. The original services were
  measured once, side by side with ours.
- Processor time of a request is the server's own, user and kernel together. If it is steady while the rate is not, the machine had other work.

## Rows

Measure one row with \`npm run benchmark -- --only <row>\`. \`--quick\` measures briefly, to check that everything runs. Neither option writes this page.

| row | what |
|---|---|
${rows.map(({ row }) => `| \`${row.name}\` | ${row.what} |`).join('\n')}
`
}
