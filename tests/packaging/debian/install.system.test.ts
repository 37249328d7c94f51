import { once } from 'node:events'
import { appendFileSync, copyFileSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type { Outcome } from '../../../tools/repository.testkit.ts'
import { describeWith } from '../../../tools/setup/describe-with.mjs'
import { APT, FreshRoot } from './fresh-root.testkit.ts'
import { Package } from './package.testkit.ts'

/** Creating a minimal Debian takes half a minute without a cached one. */
const SLOW_MS = 240_000
const PACKAGE = '/root/slotwire.deb'
const LOWER_VERSION = '0.0.9'
const LOWER = `/root/slotwire-${LOWER_VERSION}.deb`
/** Records of dpkg, apt and the tools for users. */
const RECORDS =
  /^(var\/(lib|cache)\/(dpkg|apt)|var\/cache\/debconf|var\/log\/(apt|dpkg\.log)|etc\/(passwd|group|shadow|gshadow)-?$)/
const USERS = ['etc/passwd', 'etc/group', 'etc/shadow', 'etc/gshadow']

// dpkg and xz are slow on a busy machine.
vi.setConfig({ testTimeout: 120_000 })

describeWith(['dpkgDeb', 'mmdebstrap', 'namespaces', 'debianArchive'], 'the Debian package in a minimal Debian', () => {
  let root: FreshRoot
  let before: Map<string, string>
  let usersBefore: readonly string[]
  let installed: Outcome

  const users = () => USERS.map((file) => readFileSync(root.path(file), 'utf8'))
  const files = () => new Map([...root.files()].filter(([path]) => !RECORDS.test(path)))
  const succeed = async (...command: readonly string[]) => {
    const { code, stdout, stderr } = await root.run(command)
    expect({ command, code, stderr: code === 0 ? '' : stderr }).toEqual({ command, code: 0, stderr: '' })
    return stdout
  }

  beforeAll(async () => {
    const made = await Package.make()
    root = new FreshRoot(['nodejs'])
    copyFileSync(made.file, root.path(PACKAGE))
    copyFileSync(made.as(LOWER_VERSION), root.path(LOWER))
    made.remove()
    for (const folder of ['etc/systemd/system', 'etc/avahi/services']) mkdirSync(root.path(folder), { recursive: true })
    before = files()
    usersBefore = users()
    installed = await root.run([...APT, 'install', PACKAGE])
  }, SLOW_MS)
  afterAll(() => root.remove())

  it('installs with only the Node.js of Debian', () => {
    expect(installed.code).toBe(0)
    expect(installed.stdout).toContain('1 newly installed, 0 to remove')
  })

  it('starts and enables nothing, and prints the next steps in one line', () => {
    const said = installed.stdout.split('\n').filter((line) => line.startsWith('slotwire:'))
    expect(said).toEqual([
      "slotwire: nothing was started. Stop the device's original services, run 'slotwire doctor --hardware kernel --user slotwire', then 'systemctl enable --now slotwire'.",
    ])
    const enabled = (all: Map<string, string>) => [...all.keys()].filter((path) => path.startsWith('etc/systemd/')).sort()
    expect(enabled(files())).toEqual(enabled(before))
  })

  it('creates a user without a shell, and a state folder only for that user', async () => {
    expect(await succeed('getent', 'passwd', 'slotwire')).toMatch(
      /^slotwire:x:(\d{3}):\d{3}:Slotwire:\/var\/lib\/slotwire:\/usr\/sbin\/nologin\n$/,
    )
    expect(await succeed('getent', 'group', 'slotwire')).toMatch(/^slotwire:x:\d{3}:\n$/)
    expect(await succeed('stat', '--format=%U:%G %a', '/var/lib/slotwire')).toBe('slotwire:slotwire 700\n')
    expect(await succeed('stat', '--format=%U:%G %a', '/etc/default/slotwire')).toBe('root:root 644\n')
  })

  it('contains every file unchanged', async () => expect(await succeed('dpkg', '--verify', 'slotwire')).toBe(''))

  it('prints its version', async () => expect(await succeed('slotwire', '--version')).toMatch(/^\d+\.\d+\.\d+\n$/))

  it('checks the installation, and reports that this is not a device', async () => {
    const { stdout, stderr } = await root.run(['slotwire', 'doctor'])
    expect(stdout + stderr).toContain('sdbp')
  })

  it('serves a virtual device as the user slotwire, and answers at its version root', async () => {
    const server = root.start(['slotwire', 'serve', '--hardware', 'twin', '--port', '0'], { user: 'slotwire' })
    try {
      const line = await once(createInterface({ input: server.stdout }), 'line').then(([text]: unknown[]) => String(text))
      const address = /http:\/\/[\d.]+:\d+/.exec(line)?.[0]
      const answer = await fetch(`${address}/api/io/`)
      expect({ status: answer.status, body: await answer.json() }).toMatchObject({
        status: 200,
        body: { version: { api: { major: 1, minor: 0, patch: 0 } } },
      })
      expect(existsSync(root.path('var/lib/slotwire/twin'))).toBe(true)
    } finally {
      server.kill('SIGKILL')
      await once(server, 'close')
    }
  })

  it('names the remedy if Node.js is missing or too old', async () => {
    const aside = await root.run([
      'sh',
      '-c',
      'mv /usr/bin/node /root/node; slotwire --version; code=$?; mv /root/node /usr/bin/node; exit $code',
    ])
    expect(aside).toMatchObject({ code: 2, stdout: '', stderr: 'slotwire: /usr/bin/node is missing: apt-get install nodejs\n' })
    const old = "data:text/javascript,Object.defineProperty(process,'versions',{value:{node:'18.19.0'}})"
    const { code, stderr } = await root.run(['env', `NODE_OPTIONS=--import=${old}`, 'slotwire', '--version'])
    expect({ code, stderr }).toEqual({ code: 2, stderr: 'Slotwire needs Node.js 20.19.2 or later; this is 18.19.0.\n' })
  })

  it('keeps changed settings in an upgrade, and prints nothing', async () => {
    const version = () => succeed('dpkg-query', '--show', '--showformat=${Version}', 'slotwire')
    const higher = await version()
    await succeed('dpkg', '--install', LOWER)
    expect(await version()).toBe(LOWER_VERSION)
    appendFileSync(root.path('etc/default/slotwire'), 'SLOTWIRE_OPTIONS="--no-bench"\n')
    const stdout = await succeed(...APT, 'install', PACKAGE)
    expect(stdout).not.toContain('slotwire: ')
    expect(await version()).toBe(higher)
    expect(readFileSync(root.path('etc/default/slotwire'), 'utf8')).toMatch(/SLOTWIRE_OPTIONS="--no-bench"\n$/)
  })

  it('keeps settings, state, user and enabled units when removed, and removes its announcement', async () => {
    traces(root)
    await succeed(...APT, 'remove', 'slotwire')
    for (const kept of ['etc/default/slotwire', 'var/lib/slotwire/twin']) expect(existsSync(root.path(kept))).toBe(true)
    await succeed('getent', 'passwd', 'slotwire')
    expect(existsSync(root.path('etc/avahi/services/slotwire-io.service'))).toBe(false)
    expect(existsSync(root.path('usr/lib/slotwire'))).toBe(false)
  })

  it('leaves nothing behind when purged', async () => {
    // Created by slotwire-power-manager.service, with the socket of a killed daemon.
    await succeed('install', '-d', '-o', 'slotwire', '-g', 'slotwire', '/run/power-mgmt')
    await succeed('install', '-o', 'slotwire', '-g', 'slotwire', '/dev/null', '/run/power-mgmt/power-mgmt.socket')
    await succeed(...APT, 'purge', 'slotwire')
    const after = files()
    expect([...after.keys()].filter((path) => !before.has(path))).toEqual([])
    expect([...before].filter(([path, about]) => after.get(path) !== about)).toEqual([])
    expect(users()).toEqual(usersBefore)
  })
})

/** Leaves traces of use: enabled and masked units, settings of the power manager, the announcement of a killed process. */
function traces(root: FreshRoot): void {
  const system = root.path('etc/systemd/system')
  mkdirSync(join(system, 'multi-user.target.wants'))
  symlinkSync('/usr/lib/systemd/system/slotwire.service', join(system, 'multi-user.target.wants/slotwire.service'))
  symlinkSync('/dev/null', join(system, 'slotwire-power-manager.service'))
  root.write('etc/default/slotwire-power-manager', 'SLOTWIRE_POWER_MANAGER_OPTIONS="--power-mode weak"\n')
  root.write('etc/avahi/services/slotwire-io.service', '<service-group/>\n')
}
