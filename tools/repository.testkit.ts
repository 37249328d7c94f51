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

/**
 * A repository with the real tools, whose only program prints its options. Its dependencies are archives, so npm downloads nothing: the
 * compiler refers to ours, and the package for tests is empty. Its path contains a space.
 */
export class TestRepository {
  readonly folder = mkdtempSync(join(tmpdir(), 'slotwire repository '))

  constructor() {
    cpSync(inRoot('tools', 'setup'), join(this.folder, 'tools', 'setup'), { recursive: true })
    cpSync(inRoot('tools', 'start.mjs'), join(this.folder, 'tools', 'start.mjs'))
    this.write('typescript/bin/tsc', `require(${JSON.stringify(inRoot('node_modules', 'typescript', 'lib', 'tsc.js'))})\n`)
    this.writeManifest('1.0.0')
    this.write('tsconfig.json', JSON.stringify({ files: [], references: [{ path: 'apps/cli' }] }))
    cpSync(inRoot('tsconfig.base.json'), this.path('tsconfig.base.json'))
    const compilerOptions = { lib: ['ES5'], types: [], rootDir: 'src', outDir: 'dist' }
    this.write('apps/cli/package.json', JSON.stringify({ name: 'cli', type: 'module' }))
    this.write(
      'apps/cli/tsconfig.json',
      JSON.stringify({ extends: '../../tsconfig.base.json', compilerOptions, include: ['src'] }),
    )
    this.write('apps/cli/src/main.ts', program('one'))
  }

  /** Writes package.json and its lock file. Another version of the compiler gives another lock file. */
  writeManifest(compilerVersion: string): void {
    const manifest = {
      name: 'repository',
      private: true,
      type: 'module',
      scripts: { start: 'exec node tools/start.mjs' },
      dependencies: { typescript: this.#packed('typescript', compilerVersion) },
      devDependencies: { tester: this.#packed('tester', '1.0.0') },
    }
    this.write('package.json', JSON.stringify(manifest))
    this.#npm('install', '--package-lock-only', '--offline')
  }

  #packed(name: string, version: string): string {
    this.write(`${name}/package.json`, JSON.stringify({ name, version }))
    this.#npm('pack', `./${name}`)
    return `file:${name}-${version}.tgz`
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
  return `declare const process: { argv: string[] }\ndeclare const console: { log(...texts: string[]): void }
console.log('${word}', ...process.argv.slice(2))\n`
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
