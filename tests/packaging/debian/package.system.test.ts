import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { describeWith } from '../../../tools/setup/describe-with.mjs'
import { root } from '../../../tools/setup/root.mjs'
import { temporaryFolder } from '../../temporary-folder.testkit.ts'
import { ask, entriesOf, Package, type PackagedEntry } from './package.testkit.ts'

const MAX_MEGABYTES = 4

// dpkg and xz are slow on a busy machine.
vi.setConfig({ testTimeout: 120_000 })

describeWith('dpkgDeb', 'the Debian package', () => {
  let amd64: Package
  let arm64: Package
  let entries: readonly PackagedEntry[]
  const unpacked = temporaryFolder({ prefix: 'slotwire-' })
  const paths = () => entries.map(({ path }) => path)

  beforeAll(async () => {
    amd64 = await Package.make('amd64')
    arm64 = await Package.make('arm64')
    entries = entriesOf(amd64.file)
    execFileSync('dpkg-deb', ['--raw-extract', amd64.file, unpacked])
  }, 240_000)
  afterAll(() => {
    amd64.remove()
    arm64.remove()
  })

  it('contains the program, its units, its udev rule, its settings and the guides', () => {
    expect(paths()).toEqual(
      expect.arrayContaining([
        ...'/usr/bin/slotwire /usr/lib/slotwire/bin/slotwire.js /usr/lib/slotwire/dist/main.js'.split(' '),
        ...'/usr/lib/slotwire/dist/slot.pl /usr/lib/slotwire/dist/page.js'.split(' '),
        ...'/usr/lib/systemd/system/slotwire.service /usr/lib/systemd/system/slotwire-power-manager.service'.split(' '),
        ...'/usr/lib/udev/rules.d/60-slotwire.rules /etc/default/slotwire /usr/share/doc/slotwire/README.md'.split(' '),
        ...'/usr/share/doc/slotwire/docs/guide/first-steps.md /usr/share/doc/slotwire/copyright'.split(' '),
        ...'/usr/share/doc/slotwire/changelog.gz'.split(' '),
      ]),
    )
    expect(ask('--info', amd64.file, 'conffiles')).toBe('/etc/default/slotwire\n')
  })

  it('depends on the system’s Node.js, and contains no tests and no development files', () => {
    expect(ask('--field', amd64.file, 'Depends')).toContain('nodejs (>= 20.19.2)')
    const superfluous = /\.(test|testkit)\.|\.(ts|map|tsbuildinfo)$|\/node_modules\/(typescript|vitest|eslint|@types)\//
    expect(paths().filter((path) => superfluous.test(path))).toEqual([])
    expect(paths().filter((path) => /\/lib\/slotwire\/(.*\/)?@slotwire\//.test(path))).toEqual([])
  })

  it('contains exactly the packages in the lock file for run time, with the licence of each', () => {
    const folder = join(unpacked, 'usr/lib/slotwire/node_modules')
    const foreign = readdirSync(folder).flatMap((name) =>
      name.startsWith('@') ? readdirSync(join(folder, name)).map((inner) => `${name}/${inner}`) : [name],
    )
    const copyright = readFileSync(join(unpacked, 'usr/share/doc/slotwire/copyright'), 'utf8')
    const undocumented = foreign.filter((name) => !copyright.includes(`\n${name} `))
    expect(undocumented).toEqual([])
    // Bundled in the console.
    for (const name of ['preact', '@preact/signals', 'uplot']) {
      expect(foreign).not.toContain(name)
      expect(copyright).toContain(`\n${name} `)
    }
    expect(foreign).toEqual(expect.arrayContaining(['light-my-request', 'yaml', '@peculiar/x509', 'pino']))
    expect(copyright).toContain('Copyright (c) 2026 The Slotwire authors')
    expect(copyright).toMatch(/\nlight-my-request 6[.\d]+ \(BSD-3-Clause\)/)
  })

  it('contains every page to which one of its pages links, and every heading', () => {
    const folder = join(unpacked, 'usr/share/doc/slotwire')
    const pages = filesBelow(folder).filter((file) => file.endsWith('.md'))
    const links = pages.flatMap((page) => linksOf(readFileSync(page, 'utf8')).map((link) => ({ page, link })))
    expect(links.length).toBeGreaterThan(50)
    const broken = links.filter(({ page, link }) => {
      const [path = '', heading] = link.split('#')
      const target = path === '' ? page : join(dirname(page), path)
      if (!existsSync(target)) return true
      return heading !== undefined && !anchorsOf(readFileSync(target, 'utf8')).includes(heading)
    })
    expect(broken.map(({ page, link }) => `${relative(folder, page)}: ${link}`)).toEqual([])
  })

  it('belongs to root, is readable for all users, and only the command is executable', () => {
    expect([...new Set(entries.map(({ owner }) => owner))]).toEqual(['root/root'])
    const executable = entries.filter(({ mode }) => mode === '-rwxr-xr-x').map(({ path }) => path)
    expect(executable).toEqual(['/usr/bin/slotwire'])
    expect([...new Set(entries.map(({ mode }) => mode))].sort()).toEqual(['-rw-r--r--', '-rwxr-xr-x', 'drwxr-xr-x'])
  })

  it('does not contain the path of the build folder', () => {
    const found = filesBelow(unpacked).filter((file) => readFileSync(file).includes(root.replace(/\/$/, '')))
    expect(found).toEqual([])
  })

  it('contains no machine code', () => {
    const native = filesBelow(unpacked).filter(
      (file) => file.endsWith('.node') || readFileSync(file).subarray(0, 4).equals(Buffer.from('\x7fELF')),
    )
    expect(native).toEqual([])
  })

  it('is the same for arm64 except for the name of the architecture', () => {
    const fields = (file: string) => ask('--field', file)
    expect(fields(arm64.file)).toBe(fields(amd64.file).replace('Architecture: amd64', 'Architecture: arm64'))
    expect(dataOf(arm64.file).equals(dataOf(amd64.file))).toBe(true)
    for (const script of ['postinst', 'prerm', 'postrm', 'md5sums', 'conffiles']) {
      expect(ask('--info', arm64.file, script)).toBe(ask('--info', amd64.file, script))
    }
  })

  it('has the same bytes when another user builds it', async () => {
    const usual = process.umask(0o077)
    const again = await Package.make('amd64')
    process.umask(usual)
    try {
      expect(readFileSync(again.file).equals(readFileSync(amd64.file))).toBe(true)
    } finally {
      again.remove()
    }
  }, 60_000)

  it(`has fewer than ${MAX_MEGABYTES} MiB`, () => expect(statSync(amd64.file).size).toBeLessThan(MAX_MEGABYTES * 1024 * 1024))
})

/** The files of a package, as a tar archive. */
function dataOf(file: string): Buffer {
  return execFileSync('dpkg-deb', ['--fsys-tarfile', file], { maxBuffer: 256 * 1024 * 1024 })
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}

/** Link targets of a page, except URLs. Code contains no links. */
function linksOf(page: string): readonly string[] {
  const prose = page.replace(/^```.*?^```/gms, '').replace(/`[^`\n]*`/g, '')
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link).filter((link) => !/^[a-z]+:/.test(link))
}

/** Anchors of a page's headings. */
function anchorsOf(page: string): readonly string[] {
  return [...page.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-'),
  )
}
