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
/** Says what it was asked for. */
const SYSTEMCTL = `#!/bin/sh\necho "$*" >> /${CALLS}\n`
const UNITS = unitNames().join(' ')

// dpkg and xz on a busy machine.
vi.setConfig({ testTimeout: 120_000 })

describeWith(
  ['dpkgDeb', 'mmdebstrap', 'namespaces', 'debianArchive'],
  'what the Debian package asks of a running systemd',
  () => {
    let root: FreshRoot
    /** What systemd was asked for while a command ran. */
    const askedBy = async (...command: readonly string[]): Promise<readonly string[]> => {
      rmSync(root.path(CALLS), { force: true })
      const { code, stderr } = await root.run(command)
      expect(code, stderr).toBe(0)
      return existsSync(root.path(CALLS)) ? readFileSync(root.path(CALLS), 'utf8').trimEnd().split('\n') : []
    }

    beforeAll(() => {
      const made = new Package()
      root = new FreshRoot(['nodejs'])
      copyFileSync(made.file, root.path(PACKAGE))
      made.remove()
      mkdirSync(root.path('run/systemd/system'), { recursive: true })
      // In place of systemd's own: this root has not been booted.
      root.write('usr/bin/systemctl', SYSTEMCTL, 0o755)
    }, SLOW_MS)
    afterAll(() => root.remove())

    it('to know of the units when it is installed, and to start none', async () => {
      expect(await askedBy(...APT, 'install', PACKAGE)).toEqual([RELOAD])
    })

    it('to restart what runs, in an upgrade, when the new files are there', async () => {
      expect(await askedBy('dpkg', '--install', PACKAGE)).toEqual([RELOAD, `try-restart ${UNITS}`])
    })

    it('nothing where the policy of the system forbids it', async () => {
      root.write('usr/sbin/policy-rc.d', '#!/bin/sh\nexit 101\n', 0o755)
      expect(await askedBy('dpkg', '--install', PACKAGE)).toEqual([RELOAD])
      rmSync(root.path('usr/sbin/policy-rc.d'))
    })

    it('to stop everything before it is removed, and to forget it', async () => {
      expect(await askedBy(...APT, 'remove', 'slotwire')).toEqual([`stop ${UNITS}`, RELOAD])
      expect(await askedBy(...APT, 'purge', 'slotwire')).toEqual([RELOAD])
    })

    it('in vain where it does not answer: nothing of that keeps the package from coming and going', async () => {
      root.write('usr/bin/systemctl', `#!/bin/sh\necho "$*" >> /${CALLS}\nexit 1\n`, 0o755)
      const [install, purge] = [
        ['dpkg', '--install', PACKAGE],
        ['dpkg', '--purge', 'slotwire'],
      ] as const
      expect(await askedBy(...install)).toEqual([RELOAD])
      expect(await askedBy(...install)).toEqual([RELOAD, `try-restart ${UNITS}`])
      expect(await askedBy(...purge)).toEqual([`stop ${UNITS}`, RELOAD, RELOAD])
      root.write('usr/bin/systemctl', SYSTEMCTL, 0o755)
    })

    it('nothing more when it is installed after that', async () => {
      expect(await askedBy('dpkg', '--install', PACKAGE)).toEqual([RELOAD])
    })
  },
)
