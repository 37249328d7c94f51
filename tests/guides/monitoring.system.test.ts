import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { type ParsedFamily, parseExposition } from '../../packages/service/src/metrics/exposition.testkit.ts'
import { describeWith } from '../../tools/setup/describe-with.mjs'
import { inRoot } from '../../tools/setup/root.mjs'
import { freePort } from '../program/free-port.testkit.ts'
import { temporaryFolder } from '../temporary-folder.testkit.ts'
import { ServedExamples } from './served-examples.testkit.ts'

const MONITORING = 'examples/monitoring'
const WITHIN = { timeout: 30_000, interval: 500 }
/** What Prometheus adds to each series. */
const OF_PROMETHEUS = ['instance', 'job', 'le']
/** A twin is seldom read again within 5 s: two readings need so many seconds. */
const RATE_INTERVAL = '10s'
const ADDRESS = 'http://127.0.0.1:8080'
const JSON_BODY = "-H 'Content-Type: application/json' -d"
/** Makes the readings appear that a device has only when it is set up so. */
const SET_UP = `
curl ${ADDRESS}/api/io/1.0/5/input/mode ${JSON_BODY} '{"pin":2,"mode":"digital"}'
curl ${ADDRESS}/api/io/1.0/5/input/mode ${JSON_BODY} '{"pin":3,"mode":"digital"}'
curl ${ADDRESS}/api/io/1.0/5/input/digital/counter ${JSON_BODY} '{"pin":3,"state":"enabled"}'
curl ${ADDRESS}/api/power/1.0/1/fan/rpm ${JSON_BODY} '{"measurement_enabled":true}'
`

interface Query {
  readonly where: string
  readonly expr: string
  /** Labels that the text of a series names. */
  readonly shown: readonly string[]
}

interface Dashboard {
  readonly annotations: {
    readonly list: readonly { readonly name: string; readonly expr: string; readonly titleFormat: string }[]
  }
  readonly panels: readonly {
    readonly title: string
    readonly targets?: readonly { readonly refId: string; readonly expr: string; readonly legendFormat: string }[]
  }[]
}

const shownIn = (text: string): readonly string[] => [...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label)
const dashboard = JSON.parse(readFileSync(inRoot(MONITORING, 'grafana-dashboard.json'), 'utf8')) as Dashboard
const panels: readonly Query[] = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ refId, expr, legendFormat }) => ({ where: `${title} ${refId}`, expr, shown: shownIn(legendFormat) })),
)
const annotations = dashboard.annotations.list.map(({ name, expr, titleFormat }) => ({
  where: name,
  expr,
  shown: shownIn(titleFormat),
}))
const rules: readonly Query[] = [
  ...readFileSync(inRoot(MONITORING, 'prometheus-rules.yml'), 'utf8').matchAll(/alert: (\w+)\n +expr: (.*)/g),
].map(([, where = '', expr = '']) => ({ where, expr, shown: [] }))

/** Names of metrics and of labels in an expression: those of matchers, groups and joins. */
function namesIn(expr: string): { readonly metrics: readonly string[]; readonly labels: readonly string[] } {
  const metrics = expr.match(/\b(?:slotwire|process)_\w+/g) ?? []
  const matchers = [...expr.matchAll(/(\w+)=~?"/g)].map(([, label = '']) => label)
  const groups = [...expr.matchAll(/\b(?:by|on) ?\(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/, */))
  return { metrics, labels: [...matchers, ...groups] }
}

describeWith('prometheus', MONITORING, (prometheus) => {
  const served = new ServedExamples()
  const folder = temporaryFolder({ prefix: 'slotwire-' })
  let families: readonly ParsedFamily[]
  let program: ChildProcess | undefined
  let url: string

  beforeAll(async () => {
    await served.start(['--listen', '127.0.0.1', '--https-port', '0'])
    await served.run(SET_UP)
    const { stdout } = await served.run(`echo -n ${ADDRESS}`)
    const port = await freePort()
    url = `http://127.0.0.1:${port}`
    const configuration = {
      global: { scrape_interval: '1s', evaluation_interval: '1s' },
      rule_files: [inRoot(MONITORING, 'prometheus-rules.yml')],
      scrape_configs: [
        {
          job_name: 'slotwire',
          metrics_path: '/slotwire/metrics',
          static_configs: [{ targets: [new URL(stdout).host] }],
        },
      ],
    }
    writeFileSync(join(folder, 'prometheus.yml'), JSON.stringify(configuration))
    program = spawn(
      prometheus,
      ['--config.file=prometheus.yml', '--storage.tsdb.path=data', `--web.listen-address=127.0.0.1:${port}`],
      {
        cwd: folder,
        stdio: 'ignore',
      },
    )
    await vi.waitFor(async () => expect(await seriesOf('slotwire_power_fan_rpm')).not.toEqual([]), WITHIN)
    families = parseExposition((await served.run(`curl ${ADDRESS}/slotwire/metrics`)).stdout)
  }, 60_000)

  afterAll(async () => {
    if (program !== undefined && program.exitCode === null) {
      program.kill('SIGTERM')
      await once(program, 'exit')
    }
    await served.remove()
  })

  /** The series that Prometheus finds now. Rejects with its message. */
  async function seriesOf(expr: string): Promise<readonly { metric: Readonly<Record<string, string>> }[]> {
    const answer = await fetch(`${url}/api/v1/query?${new URLSearchParams({ query: expr }).toString()}`)
    const body = (await answer.json()) as { error?: string; data: { result: { metric: Record<string, string> }[] } }
    if (body.error !== undefined) throw new Error(`${expr}: ${body.error}`)
    return body.data.result
  }

  it.each([...panels, ...annotations, ...rules])('names only metrics and labels that a device has: $where', ({ expr, shown }) => {
    const samples = families.flatMap((family) => family.samples)
    const { metrics, labels } = namesIn(expr)
    const used = samples.filter(({ name }) => metrics.includes(name))
    expect(metrics.filter((metric) => !used.some(({ name }) => name === metric))).toEqual([])
    const known = [...OF_PROMETHEUS, ...used.flatMap((sample) => Object.keys(sample.labels))]
    expect([...labels, ...shown].filter((label) => !known.includes(label))).toEqual([])
  })

  it.each(panels)('shows data of a device: $where', async ({ expr, shown }) => {
    const query = expr.replaceAll('$instance', '.+').replaceAll('$__rate_interval', RATE_INTERVAL)
    await expect.poll(() => seriesOf(query), WITHIN).not.toEqual([])
    const [series] = await seriesOf(query)
    expect(shown.filter((label) => !(label in (series?.metric ?? {})))).toEqual([])
  })

  it('raises no alert for a device without faults', async () => {
    const answer = (await (await fetch(`${url}/api/v1/rules`)).json()) as {
      data: { groups: { rules: { name: string; state: string; health: string }[] }[] }
    }
    const found = answer.data.groups.flatMap((group) => group.rules)
    expect(found.map(({ name, state, health }) => ({ name, state, health }))).toEqual(
      rules.map(({ where }) => ({ name: where, state: 'inactive', health: 'ok' })),
    )
  })
})
