import { spawnSync } from 'node:child_process'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseExposition } from '../../packages/service/src/metrics/exposition.testkit.ts'
import { describeWith } from '../../tools/setup/describe-with.mjs'
import { inRoot } from '../../tools/setup/root.mjs'
import { documentedRows, rowOf } from '../device/metrics-page.testkit.ts'
import { temporaryFolder } from '../temporary-folder.testkit.ts'
import { blocksOf } from './examples.testkit.ts'
import { ServedExamples } from './served-examples.testkit.ts'

const PAGE = 'docs/guide/metrics.md'
const MONITORING = 'examples/monitoring'
const CASES = 'prometheus-rule-cases.yml'
const blocks = blocksOf(PAGE).filter(({ language }) => language === 'yaml')
const configurations = blocks.filter(({ text }) => text.startsWith('scrape_configs:'))
const ruleFiles = blocks.filter(({ text }) => text.startsWith('rule_files:'))

/** What a pattern finds in an example, sorted. */
const namesIn = (file: string, pattern: RegExp): readonly (string | undefined)[] =>
  [...readFileSync(inRoot(MONITORING, file), 'utf8').matchAll(pattern)].map(([, name]) => name).sort()

describeWith(['promtool', 'openssl'], PAGE, (promtool, openssl) => {
  const folder = temporaryFolder({ prefix: 'slotwire-' })

  beforeAll(() => {
    // The page expects this file beside the configuration.
    writeFileSync(join(folder, 'slotwire-token'), 'not a token')
    const options = '-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=page -keyout /dev/null'.split(' ')
    const made = spawnSync(openssl, ['req', '-x509', ...options, '-out', 'slotwire-ca.pem'], { cwd: folder, encoding: 'utf8' })
    if (made.status !== 0) throw new Error(made.stderr)
  })

  it('contains only configurations and the name of the file of rules', () =>
    expect([configurations.length, ruleFiles.length, blocks.length]).toEqual([2, 1, 3]))

  it.each(configurations)('line $line is a valid configuration, with the rules of the examples', ({ text }) => {
    copyFileSync(inRoot(MONITORING, 'prometheus-rules.yml'), join(folder, 'prometheus-rules.yml'))
    writeFileSync(join(folder, 'page.yml'), [text, ...ruleFiles.map((block) => block.text)].join('\n'))
    const { status, stdout, stderr } = spawnSync(promtool, ['check', 'config', 'page.yml'], { cwd: folder, encoding: 'utf8' })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toContain('SUCCESS: 1 rule files found')
  })

  it('raises each alert of the examples for a device with its fault, and none for a device without', () => {
    const { status, stdout } = spawnSync(promtool, ['test', 'rules', CASES], { cwd: inRoot(MONITORING), encoding: 'utf8' })
    expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringContaining('SUCCESS') as string })
    const [alerts, raised] = [
      namesIn('prometheus-rules.yml', /- alert: (\w+)/g),
      namesIn(CASES, /alertname: (\w+)\n +exp_alerts:/g),
    ]
    expect(raised).toEqual(alerts)
  })
})

describe(PAGE, { timeout: 20_000 }, () => {
  const served = new ServedExamples()

  afterAll(() => served.remove())

  it('has a row for every metric of slotwire serve, and no row for a door metric that it does not export', async () => {
    await served.start(['--listen', '127.0.0.1', '--https-port', '0'])
    const { stdout } = await served.run('curl http://127.0.0.1:8080/slotwire/metrics')
    const rows = parseExposition(stdout).map(rowOf)
    const { ofService, ofDoors } = documentedRows()
    expect(rows.filter((row) => !ofService.includes(row))).toEqual(ofDoors)
  })
})
