import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { unitNames } from '../../../tools/deb/system-files.mjs'
import { describeWith } from '../../../tools/setup/describe-with.mjs'
import { APT, FreshRoot } from './fresh-root.testkit.ts'
import { Package } from './package.testkit.ts'

const SLOW_MS = 240_000
const PACKAGE = '/root/slotwire.deb'
const CALLS = 'root/calls'
const RELOAD = '--system daemon-reload'
/** Records its arguments. */
const SYSTEMCTL = `#!/bin/sh\necho "$*" >> /${CALLS}\n`
const UNITS = unitNames().join(' ')

// dpkg and xz are slow on a busy machine.
vi.setConfig({ testTimeout: 120_000 })

describeWith(['dpkgDeb', 'mmdebstrap', 'namespaces', 'debianArchive'], 'the Debian package with a running systemd', () => {
  let root: FreshRoot
  /** The calls of systemctl during a command. */
  const callsOf = async (...command: readonly string[]): Promise<readonly string[]> => {
    rmSync(root.path(CALLS), { force: true })
    const { code, stderr } = await root.run(command)
    expect(code, stderr).toBe(0)
    return existsSync(root.path(CALLS)) ? readFileSync(root.path(CALLS), 'utf8').trimEnd().split('\n') : []
  }

  beforeAll(async () => {
    const made = await Package.make()
    root = new FreshRoot(['nodejs'])
    copyFileSync(made.file, root.path(PACKAGE))
    made.remove()
    mkdirSync(root.path('run/systemd/system'), { recursive: true })
    // Replaces systemd's own: this root has not been booted.
    root.write('usr/bin/systemctl', SYSTEMCTL, 0o755)
  }, SLOW_MS)
  afterAll(() => root.remove())

  it('reloads the units at installation, and starts none', async () =>
    expect(await callsOf(...APT, 'install', PACKAGE)).toEqual([RELOAD]))

  it('restarts running services in an upgrade, after the new files are installed', async () =>
    expect(await callsOf('dpkg', '--install', PACKAGE)).toEqual([RELOAD, `try-restart ${UNITS}`]))

  it('restarts nothing if the system’s policy forbids it', async () => {
    root.write('usr/sbin/policy-rc.d', '#!/bin/sh\nexit 101\n', 0o755)
    expect(await callsOf('dpkg', '--install', PACKAGE)).toEqual([RELOAD])
    rmSync(root.path('usr/sbin/policy-rc.d'))
  })

  it('stops everything before removal, and reloads the units after it', async () => {
    expect(await callsOf(...APT, 'remove', 'slotwire')).toEqual([`stop ${UNITS}`, RELOAD])
    expect(await callsOf(...APT, 'purge', 'slotwire')).toEqual([RELOAD])
  })

  it('can be installed and removed even if systemctl fails', async () => {
    root.write('usr/bin/systemctl', `#!/bin/sh\necho "$*" >> /${CALLS}\nexit 1\n`, 0o755)
    const [install, purge] = [
      ['dpkg', '--install', PACKAGE],
      ['dpkg', '--purge', 'slotwire'],
    ] as const
    expect(await callsOf(...install)).toEqual([RELOAD])
    expect(await callsOf(...install)).toEqual([RELOAD, `try-restart ${UNITS}`])
    expect(await callsOf(...purge)).toEqual([`stop ${UNITS}`, RELOAD, RELOAD])
    root.write('usr/bin/systemctl', SYSTEMCTL, 0o755)
  })

  it('only reloads the units when installed after that', async () =>
    expect(await callsOf('dpkg', '--install', PACKAGE)).toEqual([RELOAD]))
})
