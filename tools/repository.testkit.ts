import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { inRoot } from './setup/root.mjs'

/** How a program ended, and its output. */
export interface Outcome {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

/** The bundler's program is a package for each machine. */
const BUNDLER_PROGRAM = `@esbuild/${process.platform}-${process.arch}`
const THIS_MACHINE = { os: [process.platform], cpu: [process.arch] }
/** What the build reads besides the command. */
const SOURCES = {
  'apps/cli/package.json': JSON.stringify({ name: 'cli', type: 'module', exports: {} }),
  'apps/cli/src/client-browser.ts': '',
  'apps/console/src/main.tsx': '',
  'apps/console/src/styles/main.css': '',
  'apps/console/src/index.html': '<head></head>',
}

/**
 * A repository with the real tools, whose only program prints its options. Its dependencies are archives, so npm downloads nothing: the
 * bundler refers to ours, and its program and the package for tests are empty. Its path contains a space.
 */
export class TestRepository {
  readonly folder = mkdtempSync(join(tmpdir(), 'slotwire repository '))

  constructor() {
    for (const part of ['setup', 'build', 'start.mjs'])
      cpSync(inRoot('tools', part), this.path(join('tools', part)), { recursive: true })
    this.write(
      'esbuild/index.js',
      `module.exports = require(${JSON.stringify(inRoot('node_modules', 'esbuild', 'lib', 'main.js'))})\n`,
    )
    this.writeManifest('1.0.0')
    for (const [file, text] of Object.entries(SOURCES)) this.write(file, text)
    this.write('apps/cli/src/main.ts', program('one'))
  }

  /** Writes package.json and its lock file. Another version of the bundler gives another lock file. */
  writeManifest(bundlerVersion: string): void {
    const manifest = {
      name: 'repository',
      private: true,
      type: 'module',
      scripts: { start: 'exec node tools/start.mjs' },
      dependencies: { esbuild: this.#packed('esbuild', bundlerVersion) },
      optionalDependencies: { [BUNDLER_PROGRAM]: this.#packed(BUNDLER_PROGRAM, '1.0.0', THIS_MACHINE) },
      devDependencies: { tester: this.#packed('tester', '1.0.0') },
    }
    this.write('package.json', JSON.stringify(manifest))
    this.#npm('install', '--package-lock-only', '--offline')
  }

  #packed(name: string, version: string, machine: object = {}): string {
    this.write(`${name}/package.json`, JSON.stringify({ name, version, ...machine }))
    this.#npm('pack', `./${name}`)
    return `file:${name.replace('@', '').replace('/', '-')}-${version}.tgz`
  }

  #npm(...args: readonly string[]): void {
    execFileSync('npm', args, { cwd: this.folder, env: cleanEnvironment(), stdio: 'ignore' })
  }

  path(file: string): string {
    return join(this.folder, file)
  }

  write(file: string, text: string): void {
    mkdirSync(dirname(this.path(file)), { recursive: true })
    writeFileSync(this.path(file), text)
  }

  /** Runs what `npm start` runs, without the time for npm. `nodeOptions` come first. */
  start(...nodeOptions: readonly string[]): Promise<Outcome> {
    return outcome(spawn(process.execPath, [...nodeOptions, 'tools/start.mjs'], { cwd: this.folder, env: cleanEnvironment() }))
  }

  /** Starts `npm` here, in a clean environment. */
  npm(...args: readonly string[]): ChildProcessWithoutNullStreams {
    return spawn('npm', args, { cwd: this.folder, env: cleanEnvironment() })
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** This environment without variables of npm, vitest or CI. */
export function cleanEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(npm_|CI$|VITEST|NODE_ENV)/i.test(name)))
}

/** Source of a program that prints its word and options. */
export function program(word: string): string {
  return `console.log('${word}', ...process.argv.slice(2))\n`
}

/** Waits for the end of a program. */
export function outcome(child: ChildProcessWithoutNullStreams): Promise<Outcome> {
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text
    })
  }
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => {
      resolve({ code, signal, ...output })
    })
  })
}
