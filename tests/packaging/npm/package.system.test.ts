import { execFileSync, type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { makeTarball } from '../../../tools/pack/make-tarball.mjs'
import { cleanEnvironment } from '../../../tools/repository.testkit.ts'
import { inRoot } from '../../../tools/setup/root.mjs'
import { blocksOf } from '../../guides/examples.testkit.ts'
import { temporaryFolder } from '../../temporary-folder.testkit.ts'

const MAX_BYTES = 1_700_000
const MAX_PACKAGES = 60
const MINIFIED_LINES = 20
const PAGES = ['README.md', ...readdirSync(inRoot('docs', 'guide')).map((name) => `docs/guide/${name}`)]
const examples = PAGES.flatMap((page) =>
  blocksOf(page)
    .filter(({ language }) => language === 'ts')
    .map((block) => ({ ...block, page })),
)
/** The others follow a device without end; the tests of their pages run them. */
const isTest = ({ text }: { readonly text: string }) => text.includes("from 'vitest'")
/** A program that does not end fails its test, and does not hang it. */
const PROGRAM_WITHIN_MS = 100_000
/** What a project of a user has besides the package. */
const COMPILER_OPTIONS = {
  target: 'ES2023',
  strict: true,
  noUncheckedIndexedAccess: true,
  moduleDetection: 'force',
  noEmit: true,
  types: ['node'],
}

// npm and compilers are slow on a busy machine.
vi.setConfig({ testTimeout: 120_000 })

describe('the npm package, installed alone', () => {
  const folder = temporaryFolder()
  let project: string
  let tarball: string
  let installed: string

  const run = (command: string, ...args: string[]): SpawnSyncReturns<string> =>
    spawnSync(command, args, { cwd: project, env: cleanEnvironment(), encoding: 'utf8', timeout: PROGRAM_WITHIN_MS })
  const node = (...args: string[]) => run(process.execPath, ...args)
  const packed = () =>
    execFileSync('tar', ['--list', '--gzip', '--file', tarball], { encoding: 'utf8' })
      .trimEnd()
      .split('\n')
      .map((path) => path.slice('package/'.length))
  const dist = (suffix: string, part = '') =>
    readdirSync(join(installed, 'dist', part))
      .filter((name) => name.endsWith(suffix))
      .map((name) => ({ name, text: readFileSync(join(installed, 'dist', part, name), 'utf8') }))

  beforeAll(async () => {
    tarball = await makeTarball(folder)
    project = join(folder, 'a project')
    installed = join(project, 'node_modules', 'slotwire')
    mkdirSync(project)
    writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }\n')
    const { status, stderr } = run('npm', 'install', '--prefer-offline', '--no-audit', '--no-fund', tarball)
    expect(status === 0 ? '' : stderr).toBe('')
  }, 120_000)

  it('serves a virtual device with npx, and loads nothing that publishes to a broker', async () => {
    const publishing = ['mqtt.cjs', 'sparkplug-payload.cjs'].map((name) => join(installed, 'dist', name))
    for (const file of publishing) renameSync(file, `${file}.away`)
    const options = ['serve', '--port', '0', '--json', '--log-level', 'silent', '--state', join(folder, 'state')]
    const server = spawn('npx', ['slotwire', ...options], { cwd: project, env: cleanEnvironment(), detached: true })
    try {
      const [line] = (await once(createInterface({ input: server.stdout }), 'line')) as [string]
      const [url = ''] = (JSON.parse(line) as { urls: string[] }).urls
      expect((await fetch(`${url}/api/io/1.0/5/input/values`)).status).toBe(200)
      // A file of another package, which the bundle has to find.
      expect((await fetch(`${url}/slotwire/docs`)).status).toBe(200)
    } finally {
      // npx has a shell in between, which does not pass signals on.
      if (server.pid !== undefined) process.kill(-server.pid, 'SIGTERM')
      await once(server, 'close')
      for (const file of publishing) renameSync(`${file}.away`, file)
    }
  })

  it('prints help and version', () => {
    const { version } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as { version: string }
    expect(run('npx', 'slotwire', '--help').stdout).toMatch(/^Usage: slotwire [^]*\n {2}serve /)
    expect(run('npx', 'slotwire', '--version').stdout).toBe(`${version}\n`)
  })

  it('publishes to a broker without another package', () => {
    const broker = ['--mqtt', 'mqtt://127.0.0.1:1']
    const { status, stderr } = run('npx', 'slotwire', 'fleet', 'status', ...broker)
    expect([status, stderr]).toEqual([2, expect.stringContaining('nothing answers at this port')])
  })

  it('runs the example scenarios, and a check in a process of its own', () => {
    const files = readdirSync(join(installed, 'examples', 'scenarios')).map((name) =>
      join(installed, 'examples', 'scenarios', name),
    )
    expect(files.length).toBeGreaterThan(5)
    expect(run('npx', 'slotwire', 'scenario', 'run', ...files)).toMatchObject({ status: 0 })
    expect(run('npx', 'slotwire', 'doctor', '--hardware', 'twin').stdout).toMatch(/\d+ checks: 0 failures/)
  })

  it('passes the smoke tests of the program', () => {
    const env = { ...cleanEnvironment(), SLOTWIRE_TESTED_PROGRAM: join(installed, 'bin', 'slotwire.js') }
    const words = [inRoot('node_modules', 'vitest', 'vitest.mjs'), 'run', '--project', 'process', 'apps/cli', '--reporter=json']
    const { stdout } = spawnSync(process.execPath, words, { cwd: inRoot(), env, encoding: 'utf8', timeout: PROGRAM_WITHIN_MS })
    expect(JSON.parse(stdout)).toMatchObject({
      success: true,
      numTotalTests: expect.toSatisfy((count: number) => count > 5) as number,
    })
  })

  it('runs a scenario in code, and names a mistake in one', () => {
    writeFileSync(
      join(project, 'scenario.js'),
      `import { formatReport, parseScenario, runScenario, ScenarioError } from 'slotwire/scenario'
       const steps = (volts) => 'name: a source\\nsteps:\\n  - connect: { pin: 3/1, to: { source: 5V } }\\n  - after: 1s\\n    expect: { pin: 3/1, volts: ' + volts + ' }\\n'
       for (const volts of ['4.9..5.1', '12..13']) console.log(formatReport(await runScenario(parseScenario(steps(volts)))))
       try { parseScenario('steps: 1', { file: 'mine.yaml' }) } catch (error) { console.log(error instanceof ScenarioError, error.problems[0].file) }\n`,
    )
    expect(node('scenario.js').stdout).toMatch(/^passed {2}a source .*\nFAILED {2}a source [^]*\ntrue mine.yaml\n$/)
  })

  it('has the client, for Node.js and for browsers', () => {
    writeFileSync(
      join(project, 'client.js'),
      `import { ClientError, connect } from 'slotwire/client'
       import { createTwin } from 'slotwire/twin'
       const twin = await createTwin()
       await twin.start()
       for (const address of [twin, await twin.listen()]) {
         const device = await connect(address)
         console.log(device.modules.map(({ slot, service }) => slot + ' ' + service).join(', '))
         try { await device.io(5).pin(9).value() } catch (error) { console.log(error instanceof ClientError, error.kind) }
         await device.close()
       }
       await twin.close()
       console.log(import.meta.resolve('slotwire/client').endsWith('/dist/client.js'))
       console.log(Object.keys(await import('slotwire/discover')).sort().join(' '))\n`,
    )
    const perAddress = '.*5 io.*\\ntrue invalid\\n'
    expect(node('client.js').stdout).toMatch(new RegExp(`^(${perAddress}){2}true\ndiscover firstTrust\n$`))
    const program = `console.log(import.meta.resolve('slotwire/client'))`
    const forBrowsers = node('--conditions=browser', '--input-type=module', '--eval', program)
    expect(forBrowsers.stdout).toMatch(/\/dist\/client-browser\.js\n$/)
  })

  describe.each(['nodenext', 'bundler'])('the TypeScript examples with moduleResolution %s', (moduleResolution) => {
    const module = moduleResolution === 'bundler' ? 'esnext' : moduleResolution

    it('are right for the compiler, with the declarations of the package', () => {
      const compilerOptions = { ...COMPILER_OPTIONS, module, moduleResolution, skipLibCheck: moduleResolution === 'bundler' }
      link('vitest', 'typescript')
      for (const [index, example] of examples.entries())
        writeFileSync(join(project, `example-${index}${isTest(example) ? '.test' : ''}.ts`), `${example.text}\n`)
      writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
      const { stdout, status } = node('node_modules/typescript/bin/tsc', '-p', '.')
      expect([stdout, status]).toEqual(['', 0])
    })
  })

  it('has the code that the TypeScript examples need', () => {
    const { stdout } = node('node_modules/vitest/vitest.mjs', 'run', '--reporter=json', '--no-isolate', '--no-file-parallelism')
    const { numPassedTests, numTotalTests } = JSON.parse(stdout) as { numPassedTests: number; numTotalTests: number }
    const count = examples.filter(isTest).length
    expect(count).toBeGreaterThan(5)
    expect([numPassedTests, numTotalTests]).toEqual([count, count])
  })

  /** Packages of this repository, as a user would install them. */
  function link(...names: readonly string[]): void {
    for (const name of names) {
      rmSync(join(project, 'node_modules', name), { force: true })
      symlinkSync(inRoot('node_modules', name), join(project, 'node_modules', name))
    }
  }

  it.each([
    ['publint', 'publint/src/cli.js', ['run', '--strict']],
    ['@arethetypeswrong/cli', '@arethetypeswrong/cli/dist/index.js', ['--profile', 'esm-only', '--quiet']],
  ])('has a manifest in which %s finds nothing', (_, program, options) => {
    const { status, stdout, stderr } = node(inRoot('tools', 'guards', 'node_modules', program), ...options, tarball)
    expect({ status, output: stdout + stderr }).toEqual({
      status: 0,
      output: expect.not.stringMatching(/suggestion|warning|error/i) as string,
    })
  })

  it('names no package of the repository', () => {
    const own = ['.js', '.d.ts'].flatMap((suffix) => dist(suffix)).filter(({ text }) => text.includes('@slotwire/'))
    expect(own.map(({ name }) => name)).toEqual([])
    expect(readFileSync(join(installed, 'package.json'), 'utf8')).not.toMatch(/@slotwire|source|private/)
  })

  it('has each source once, so that a class is the same in every export', () => {
    const sources = dist('.js.map').flatMap(({ text }) => (JSON.parse(text) as { sources: string[] }).sources)
    expect(sources.length).toBeGreaterThan(100)
    expect(sources.filter((source, index) => sources.indexOf(source) !== index)).toEqual([])
    expect(sources.filter((source) => /\.(test|testkit)\.|node_modules/.test(source))).toEqual([])
  })

  it('contains the program, its licence and pages, and no test or source', () => {
    expect(packed()).toEqual(
      expect.arrayContaining(['package.json', 'README.md', 'LICENSE', 'THIRD-PARTY-NOTICES.txt', 'dist/twin.d.ts']),
    )
    const known =
      /^(package\.json|(README|SECURITY|CHANGELOG)\.md|LICENSE|THIRD-PARTY-NOTICES\.txt|bin\/[\w-]+\.m?js|dist\/(console\/)?[\w-]+\.(cjs|js|js\.map|d\.ts|mjs|pl|html|css|svg|conf|caddyfile)|(docs|examples)\/.*\.(md|svg|png|ya?ml|json)|examples\/.*\.(mjs|py))$/
    expect(packed().filter((path) => !known.test(path))).toEqual([])
  })

  it('has the console as minified files, with the licences of what is in them', () => {
    const files = ['main.js', 'styles.css', 'index.html'].map((name) => `dist/console/${name}`)
    expect(packed()).toEqual(expect.arrayContaining(files))
    const code = dist('.js', 'console')
    // Some lines are in texts of the page.
    for (const { name, text } of code)
      expect([name, text.split('\n').length < MINIFIED_LINES, /from *"[^.]/.test(text)]).toEqual([name, true, false])
    const notices = readFileSync(join(installed, 'THIRD-PARTY-NOTICES.txt'), 'utf8')
    for (const name of ['preact', '@preact/signals', 'uplot', 'mqtt', 'mqtt-packet', 'sparkplug-payload', 'protobufjs']) {
      expect(notices).toContain(`\n${name} `)
      expect(existsSync(join(project, 'node_modules', name))).toBe(false)
    }
  })

  it(`is at most ${MAX_BYTES} bytes, and installs at most ${MAX_PACKAGES} packages`, () => {
    expect(statSync(tarball).size).toBeLessThanOrEqual(MAX_BYTES)
    const lock = JSON.parse(readFileSync(join(project, 'package-lock.json'), 'utf8')) as { packages: object }
    // The first is the project.
    expect(Object.keys(lock.packages).length - 1).toBeLessThanOrEqual(MAX_PACKAGES)
  })
})
