import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { describeWith } from '../../tools/setup/describe-with.mjs'
import { twins } from '../mqtt/bridges.testkit.ts'
import { clock, mosquitto } from '../mqtt/mosquitto.testkit.ts'
import { MAIN, SlotwireProcess } from '../program/slotwire-process.testkit.ts'
import { blocksOf, patternOf, withoutSpace } from './examples.testkit.ts'

const PAGES = ['mqtt', 'fleet', 'home-assistant', 'sparkplug', 'node-red'].map((name) => `docs/guide/${name}.md`)
const LIMIT_MS = 60_000
const BRIDGE = 'npx slotwire bridge '
/** The ports on the pages. */
const [BROKER_PORT, DEVICE_PORT] = ['1883', '8080']

describeWith(['mosquitto', 'mosquittoSub', 'curl'], 'the pages about MQTT', (program) => {
  it.each(PAGES)('show what the commands of %s print', { timeout: LIMIT_MS }, async (page) => {
    const broker = await mosquitto(program)
    const { twins: devices } = await twins(page.includes('fleet') ? 3 : 1)
    const ports = devices.map(({ url }) => new URL(url).port)
    const here = (text: string): string =>
      ports.reduce(
        (changed, port, index) => changed.replaceAll(`:${Number(DEVICE_PORT) + index}`, `:${port}`),
        text.replaceAll(BROKER_PORT, String(broker.port)),
      )
    const started: SlotwireProcess[] = []
    const blocks = blocksOf(page)
    try {
      for (const [index, { language, text, line }] of blocks.entries()) {
        if (language !== 'sh') continue
        const next = blocks[index + 1]
        const shown = next?.language === 'text' ? patternOf(here(next.text)) : undefined
        if (text.startsWith(BRIDGE)) {
          for (const command of here(text).split('\n')) {
            const bridge = new SlotwireProcess(command.replace(/ &$/, '').split(' ').slice(2))
            started.push(bridge)
            await bridge.firstLine()
          }
          if (shown !== undefined) expect(withoutSpace(started.map(({ output }) => output).join(''))).toMatch(shown)
          // Devices are online some seconds after their bridges.
          await clock.sleep(5000)
          continue
        }
        const shims = `curl() { command curl -sS "$@"; }\nnpx() { shift; "${process.execPath}" "${MAIN}" "$@" 2>&1; }\n`
        const { stdout } = spawnSync('bash', ['-uo', 'pipefail', '-c', shims + here(text)], {
          encoding: 'utf8',
          env: { ...process.env, NO_COLOR: '1' },
        })
        if (shown !== undefined) expect(withoutSpace(stdout), `${page}:${line}`).toMatch(shown)
      }
    } finally {
      for (const bridge of started) await bridge.remove()
    }
  })
})
