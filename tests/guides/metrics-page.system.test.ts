import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseExposition } from '../../packages/service/src/metrics/exposition.testkit.ts'
import { describeWith } from '../../tools/setup/describe-with.mjs'
import { documentedRows, rowOf } from '../device/metrics-page.testkit.ts'
import { blocksOf } from './examples.testkit.ts'
import { ServedExamples } from './served-examples.testkit.ts'

const PAGE = 'docs/guide/metrics.md'
const blocks = blocksOf(PAGE).filter(({ language }) => language === 'yaml')
const configurations = blocks.filter(({ text }) => text.startsWith('scrape_configs:'))
const rules = blocks.filter(({ text }) => text.startsWith('groups:'))

/** The module of slot 3 is usable for ten minutes, then gone; slot 5 is always empty. */
const MODULE_GONE = `
rule_files: [page.yml]
evaluation_interval: 30s
tests:
  - interval: 30s
    input_series:
      - { series: 'slotwire_slot_state{instance="a",slot="3",state="usable"}', values: 1x20 0x20 }
      - { series: 'slotwire_slot_state{instance="a",slot="3",state="empty"}', values: 0x20 1x20 }
      - { series: 'slotwire_slot_state{instance="a",slot="5",state="usable"}', values: 0x40 }
      - { series: 'slotwire_slot_state{instance="a",slot="5",state="empty"}', values: 1x40 }
    alert_rule_test:
      - { eval_time: 9m, alertname: SlotwireModuleGone }
      - eval_time: 14m
        alertname: SlotwireModuleGone
        exp_alerts:
          - exp_labels: { instance: a, slot: '3', state: empty }
            exp_annotations: { summary: 'Slot 3 of a is empty, and held a module within the last hour' }
`

describeWith(['promtool', 'openssl'], PAGE, (promtool, openssl) => {
  const folder = mkdtempSync(join(tmpdir(), 'slotwire-metrics-page-'))

  beforeAll(() => {
    // The page expects this file beside the configuration.
    writeFileSync(join(folder, 'slotwire-token'), 'not a token')
    const options = [
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-subj',
      '/CN=page',
      '-keyout',
      '/dev/null',
    ]
    const made = spawnSync(openssl, ['req', '-x509', ...options, '-out', 'slotwire-ca.pem'], { cwd: folder, encoding: 'utf8' })
    if (made.status !== 0) throw new Error(made.stderr)
  })

  afterAll(() => rmSync(folder, { recursive: true }))

  function check(what: 'config' | 'rules', text: string): void {
    writeFileSync(join(folder, 'page.yml'), text)
    const { status, stdout, stderr } = spawnSync(promtool, ['check', what, 'page.yml'], { cwd: folder, encoding: 'utf8' })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toContain('SUCCESS')
  }

  it('contains only configurations and rules', () => {
    expect([configurations.length, rules.length, blocks.length]).toEqual([2, 1, 3])
  })

  it.each(configurations)('line $line is a valid configuration', ({ text }) => check('config', text))

  it.each(rules)('line $line contains valid rules', ({ text }) => {
    check('rules', text)
    expect(text.match(/alert:/g)).toHaveLength(4)
  })

  it.each(rules)(
    'line $line raises an alert for a module that disappeared, but not for a slot that was always empty',
    ({ text }) => {
      writeFileSync(join(folder, 'page.yml'), text)
      writeFileSync(join(folder, 'test.yml'), MODULE_GONE)
      const { status, stdout } = spawnSync(promtool, ['test', 'rules', 'test.yml'], { cwd: folder, encoding: 'utf8' })
      expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringContaining('SUCCESS') as string })
    },
  )
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
