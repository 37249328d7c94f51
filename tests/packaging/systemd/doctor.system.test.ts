import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeWith } from '../../../tools/setup/describe-with.mjs'
import { temporaryFolder } from '../../temporary-folder.testkit.ts'
import { BootedSystem, SHOWN } from './booted-system.testkit.ts'

const TEST_MS = 120_000
const SOON = { timeout: 30_000, interval: 100 }
const SLOT = `${SHOWN}/dev/slot3`

interface Diagnosed {
  readonly name: string
  readonly outcome: string
  readonly found: string
  readonly remedy: string | null
}

describeWith(['systemd', 'namespaces', 'ip'], 'slotwire doctor with systemd', () => {
  const shown = temporaryFolder({ prefix: 'slotwire-' })
  let system: BootedSystem
  beforeAll(async () => {
    chmodSync(shown, 0o755)
    for (const path of ['dev/slot3', 'sys/class/sdbp/slot3/vendor_product_id']) {
      mkdirSync(dirname(join(shown, path)), { recursive: true })
      writeFileSync(join(shown, path), 'modules.noreya.tech/io\n')
    }
    system = await BootedSystem.start(shown)
  }, TEST_MS)
  afterAll(async () => {
    await system.close()
  })

  const run = (...command: string[]): Promise<unknown> => system.run(...command)

  /** The lines of its report with this name. */
  async function diagnosed(name: string, ...options: string[]): Promise<readonly Diagnosed[]> {
    const roots = ['--sys-root', `${SHOWN}/sys`, '--dev-root', `${SHOWN}/dev`]
    const words = ['slotwire', 'doctor', '--json', '--hardware', 'kernel', ...roots, ...options]
    const { output } = await system.run(...words)
    const { checks } = JSON.parse(output) as { readonly checks: readonly Diagnosed[] }
    return checks.filter((check) => check.name === name)
  }

  /** Writes a unit as an administrator does. */
  async function define(name: string, text: string): Promise<void> {
    const script = 'printf "%s" "$2" >"/etc/systemd/system/$1" && systemctl daemon-reload'
    expect(await run('sh', '-c', script, 'sh', name, text)).toEqual({ code: 0, output: '' })
  }
  const start = async (name: string): Promise<unknown> =>
    expect(await run('systemctl', 'start', name)).toEqual({ code: 0, output: '' })

  it('accepts ports below 1024', { timeout: TEST_MS }, async () => {
    await run('slotwire', 'config', 'set', 'doors.listen', '127.0.0.1', '--state', '/var/lib/slotwire')
    const found = expect.stringContaining('127.0.0.1 port 443') as unknown
    expect(await diagnosed('network door', '--user', 'slotwire')).toMatchObject([{ outcome: 'ok', found }])
  })

  it('finds that systemd listens for another service', { timeout: TEST_MS }, async () => {
    await define('original@.service', '[Service]\nExecStart=/bin/cat\n')
    await define('original.socket', '[Socket]\nListenStream=127.0.0.1:8080\nAccept=yes\n')
    await start('original.socket')
    expect(await diagnosed('loopback door')).toMatchObject([
      { outcome: 'failure', found: '127.0.0.1 port 8080 is taken by systemd (process 1)' },
    ])
    await run('systemctl', 'stop', 'original.socket')
  })

  it.each([
    [
      'the main process of the unit has a slot open',
      `exec sleep 600 <${SLOT}`,
      /^Stop it: systemctl disable --now holder\.service\.$/,
    ],
    ['only a program that it started has a slot open', `(exec sleep 600 <${SLOT}); true`, /: systemctl status \d+\.$/],
  ])('suggests the right remedy if %s', { timeout: TEST_MS }, async (_, command, remedy) => {
    await define('holder.service', `[Service]\nExecStart=/bin/sh -c '${command}'\n`)
    await start('holder.service')
    const find = () => diagnosed('slot 3 in use')
    await expect.poll(find, SOON).toMatchObject([
      {
        outcome: 'failure',
        found: expect.stringMatching(/sleep \(process \d+ of holder\.service\)$/) as unknown,
        remedy: expect.stringMatching(remedy) as unknown,
      },
    ])
    await run('systemctl', 'stop', 'holder.service')
  })
})
