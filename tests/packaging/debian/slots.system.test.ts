import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { describeWith } from '../../../tools/setup/describe-with.mjs'
import { FreshRoot } from './fresh-root.testkit.ts'
import { Package } from './package.testkit.ts'

const SLOW_MS = 240_000
const PACKAGE = '/root/slotwire.deb'
const CALLS = 'root/udev-calls'
/** The administrator's rule, which overrides the package's. */
const RULE = 'etc/udev/rules.d/60-slotwire.rules'

// dpkg and xz are slow on a busy machine.
vi.setConfig({ testTimeout: 120_000 })

describeWith(['dpkgDeb', 'mmdebstrap', 'namespaces', 'debianArchive'], 'the slots on a device with the Debian package', () => {
  let root: FreshRoot
  const succeed = async (...command: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await root.run(command)
    expect({ command, code, stderr: code === 0 ? '' : stderr }).toEqual({ command, code: 0, stderr: '' })
    return stdout
  }
  const install = () => succeed('dpkg', '--install', PACKAGE)
  const remove = () => succeed('dpkg', '--remove', 'slotwire')
  const slot = async () => (await succeed('stat', '--format=%U:%G %a', '/dev/slot3')).trim()

  beforeAll(async () => {
    const made = await Package.make()
    root = new FreshRoot(['nodejs'])
    copyFileSync(made.file, root.path(PACKAGE))
    made.remove()
    mkdirSync(root.path('sys/class/sdbp/slot3'), { recursive: true })
    root.write('run/udev/control', '')
    // Replaces udev's own: it records whether the group exists at that moment.
    root.write('usr/bin/udevadm', `#!/bin/sh\necho "$*: $(getent group slotwire | cut -d : -f 1)" >> /${CALLS}\n`, 0o755)
    await succeed('mknod', '/dev/slot3', 'c', '1', '3')
  }, SLOW_MS)
  beforeEach(async () => {
    await succeed('dpkg', '--purge', 'slotwire')
    for (const file of [RULE, CALLS]) rmSync(root.path(file), { force: true })
    await succeed('chown', 'root:root', '/dev/slot3')
    await succeed('chmod', '600', '/dev/slot3')
  })
  afterAll(() => root.remove())

  it('belong to the group after installation, and to root after removal', async () => {
    await install()
    expect(await slot()).toBe('root:slotwire 660')
    await remove()
    expect(await slot()).toBe('root:root 660')
  })

  it('stay unchanged if an empty rule overrides the package’s', async () => {
    root.write(RULE, '')
    await install()
    expect(await slot()).toBe('root:root 600')
  })

  it('belong to root after removal even if the empty rule was added later', async () => {
    await install()
    root.write(RULE, '')
    await remove()
    expect(await slot()).toBe('root:root 660')
  })

  it('stay as an administrator’s rule sets them, even after removal', async () => {
    root.write(RULE, 'KERNEL=="slot[0-7]", GROUP="slotwire", MODE="0640"\n')
    await install()
    await succeed('chgrp', 'slotwire', '/dev/slot3')
    await remove()
    expect(await slot()).toBe('root:slotwire 600')
  })

  it('belong to the group for udev, which reads the rules again once the group exists', async () => {
    await install()
    expect(readFileSync(root.path(CALLS), 'utf8')).toBe('control --reload: slotwire\n')
    rmSync(root.path(CALLS))
    await install()
    expect(existsSync(root.path(CALLS))).toBe(false)
  })
})
