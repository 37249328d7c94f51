import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { temporaryFolder } from '../../tests/temporary-folder.testkit.ts'
import { cleanEnvironment } from '../repository.testkit.ts'
import { copyRepository } from '../repository-copy.testkit.ts'
import { apiDocuments } from '../setup/api-documents.mjs'
import { describeWith } from '../setup/describe-with.mjs'
import { manifests } from '../setup/manifests.mjs'
import { inRoot } from '../setup/root.mjs'

const VERSION = '7.8.9'
const LIMIT_MS = 240_000

describeWith('dpkgDeb', `npm run release -- ${VERSION}`, () => {
  const copy = temporaryFolder()
  // No registry: what is published would fail.
  const env = { ...cleanEnvironment(), SOURCE_DATE_EPOCH: '1700000000', npm_config_registry: 'http://127.0.0.1:9/' }
  const release = () => spawnSync(process.execPath, ['tools/release.mjs', VERSION], { cwd: copy, env, encoding: 'utf8' })
  const read = (file: string) => readFileSync(join(copy, file), 'utf8')
  const made = (file: string) => join(copy, 'dist', 'release', file)
  let printed: string

  beforeAll(() => {
    copyRepository(copy)
    cpSync(inRoot('node_modules', '.package-lock.json'), join(copy, 'node_modules', '.package-lock.json'))
    // What is compiled already.
    for (const folder of folders().filter((one) => existsSync(inRoot(one, 'dist')))) {
      cpSync(inRoot(folder, 'dist'), join(copy, folder, 'dist'), { recursive: true })
    }
    const { status, stdout, stderr } = release()
    expect(status === 0 ? '' : stderr).toBe('')
    printed = stdout
  }, LIMIT_MS)

  const folders = () => manifests().map((file) => dirname(file))

  it('sets the version of every package, in the lock file too, and of the program', () => {
    const before = /"(version|@slotwire\/[\w-]+)": "(?!7\.8\.9)/
    expect(folders().length).toBeGreaterThan(10)
    expect(folders().filter((folder) => before.test(read(join(folder, 'package.json'))))).toEqual([])
    const lock = JSON.parse(read('package-lock.json')) as { packages: Record<string, unknown> }
    expect(folders().filter((folder) => before.test(JSON.stringify(lock.packages[folder], null, 1)))).toEqual([])
    expect(execFileSync(process.execPath, ['apps/cli/dist/main.js', '--version'], { cwd: copy, encoding: 'utf8' })).toBe(
      `${VERSION}\n`,
    )
  })

  it('gives the unreleased changes the version', () =>
    expect(read('CHANGELOG.md')).toMatch(/\n## Unreleased\n\n## 7\.8\.9 \(\d{4}-\d\d-\d\d\)\n\n- /))

  it('makes the npm package and the Debian packages, and publishes nothing', () => {
    const names = [`slotwire-${VERSION}.tgz`, `slotwire_${VERSION}_amd64.deb`, `slotwire_${VERSION}_arm64.deb`]
    const all = [...names, 'slotwire.cdx.json', 'SHA256SUMS']
    expect(printed).toContain(`Made, but not published:\n${all.map(made).join('\n')}\n`)
    const manifest = execFileSync('tar', ['--extract', '--to-stdout', '--file', made(names[0] ?? ''), 'package/package.json'])
    expect(JSON.parse(manifest.toString())).toMatchObject({ version: VERSION })
    expect(execFileSync('dpkg-deb', ['--field', made(names[1] ?? ''), 'Version'], { encoding: 'utf8' })).toBe(`${VERSION}\n`)
  })

  it('writes the version into the API documents and the README', () => {
    for (const file of apiDocuments()) expect(JSON.parse(read(file))).toMatchObject({ info: { version: VERSION } })
    expect(read('README.md').match(/slotwire-[\d.]+\.tgz/g)).toEqual(Array.from({ length: 2 }, () => `slotwire-${VERSION}.tgz`))
  })

  it('writes checksums of all files, and a list of the packages in them', () => {
    const { stdout } = spawnSync('sha256sum', ['--check', 'SHA256SUMS'], { cwd: dirname(made('SHA256SUMS')), encoding: 'utf8' })
    expect(stdout.match(/: OK$/gm)).toHaveLength(4)
    const { components } = JSON.parse(read('dist/release/slotwire.cdx.json')) as { components: { purl: string }[] }
    const purls = components.map(({ purl }) => purl)
    expect(purls).toEqual(expect.arrayContaining([expect.stringMatching(/^pkg:npm\/%40preact\/signals@\d/)]))
    expect(new Set(purls).size).toBe(purls.length)
  })

  it('refuses the same version again, and changes nothing', () => {
    const changelog = read('CHANGELOG.md')
    expect(release()).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(
        `npm run release: write a version later than ${VERSION}, with three numbers: npm run release -- <version>\n`,
      ) as string,
    })
    expect(read('CHANGELOG.md')).toBe(changelog)
  })
})

it('finds every package of the repository private', () => {
  const all = [...manifests(), 'package.json', 'tools/guards/package.json']
  expect(all.length).toBeGreaterThan(12)
  for (const file of all) expect(JSON.parse(readFileSync(inRoot(file), 'utf8')), file).toMatchObject({ private: true })
})
