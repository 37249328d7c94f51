import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { systemWallTime } from '@slotwire/core'
import { type Outcome, outcome } from '../../../tools/repository.testkit.ts'

const DISTRIBUTION = 'trixie'
const ARCHIVE = 'http://deb.debian.org/debian'
/** One week: the distribution itself changes every few months. */
const KEPT_MS = 7 * 24 * 3600 * 1000
const ENVIRONMENT = { PATH: '/usr/sbin:/usr/bin', HOME: '/root', LANG: 'C.UTF-8', DEBIAN_FRONTEND: 'noninteractive' }

/** apt-get for a root, without questions. */
export const APT = ['apt-get', '--yes', '--quiet', '--no-install-recommends', '--option=Dpkg::Use-Pty=0']

interface RunOptions {
  /** The user who runs it; default: root. */
  readonly user?: string
}

/** A minimal Debian 13 in a temporary folder, with these packages and their dependencies. Only root can create one. */
export class FreshRoot {
  readonly folder = mkdtempSync(join(tmpdir(), 'slotwire-root-'))

  constructor(packages: readonly string[]) {
    execFileSync('tar', ['--extract', '--numeric-owner', `--file=${bareDebian(packages)}`, `--directory=${this.folder}`])
  }

  /** Path of a file of the root on this machine. */
  path(inside: string): string {
    return join(this.folder, inside)
  }

  write(inside: string, text: string, mode = 0o644): void {
    mkdirSync(dirname(this.path(inside)), { recursive: true })
    writeFileSync(this.path(inside), text, { mode })
  }

  /** Runs a program in the root until it ends. */
  run(command: readonly string[], options?: RunOptions): Promise<Outcome> {
    return outcome(this.start(command, options))
  }

  /**
   * Starts a program in the root, in new process and mount namespaces, with this machine's network. When the returned process ends, so do
   * all processes that it has started.
   */
  start(command: readonly string[], { user }: RunOptions = {}): ChildProcessWithoutNullStreams {
    const identity = user === undefined ? [] : ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--init-groups', '--reset-env']
    const apart = ['--mount', '--pid', '--fork', '--kill-child', `--mount-proc=${this.path('proc')}`]
    // Keep a shell in between: a process that changes its user would outlive the returned one.
    const inside = ['chroot', this.folder, 'sh', '-c', '"$@"; exit $?', 'sh', ...identity, ...command]
    return spawn('unshare', [...apart, ...inside], { env: ENVIRONMENT })
  }

  /** Every file by path: kind, mode and owner; for all but folders also link target, size and date. */
  files(): Map<string, string> {
    const format = ['-type', 'd', '-printf', '%P\t%y %m %U:%G\n', '-o', '-printf', '%P\t%y %m %U:%G %s %T@ %l\n']
    const text = execFileSync('find', [this.folder, '-xdev', ...format], { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
    return new Map(
      text
        .trimEnd()
        .split('\n')
        .map((line) => line.split('\t'))
        .map(([path = '', about = '']) => [path, about]),
    )
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** An archive of a minimal Debian, created if the user's cache has no recent one. */
export function bareDebian(packages: readonly string[]): string {
  const key = createHash('sha256').update(JSON.stringify(packages)).digest('hex').slice(0, 12)
  const folder = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'slotwire')
  const file = join(folder, `debian-${DISTRIBUTION}-${process.arch}-${key}.tar`)
  if (existsSync(file) && systemWallTime() - statSync(file).mtimeMs < KEPT_MS) return file
  mkdirSync(folder, { recursive: true })
  const draft = mkdtempSync(join(folder, 'draft-'))
  try {
    const made = join(draft, 'root.tar')
    const options = ['--quiet', '--variant=minbase', `--include=${packages.join(',')}`, '--aptopt=Acquire::Languages "none"']
    execFileSync('mmdebstrap', [...options, DISTRIBUTION, made, ARCHIVE], { stdio: ['ignore', 'ignore', 'inherit'] })
    renameSync(made, file)
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
  return file
}
