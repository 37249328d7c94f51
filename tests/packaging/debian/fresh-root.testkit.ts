import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { systemWallTime } from '@slotwire/core'
import { type Outcome, outcome } from '../../../tools/house.testkit.ts'

const DISTRIBUTION = 'trixie'
const ARCHIVE = 'http://deb.debian.org/debian'
/** A week: the distribution itself changes every few months. */
const KEPT_MS = 7 * 24 * 3600 * 1000
const ENVIRONMENT = { PATH: '/usr/sbin:/usr/bin', HOME: '/root', LANG: 'C.UTF-8', DEBIAN_FRONTEND: 'noninteractive' }

/** apt-get in a root, without questions. */
export const APT = ['apt-get', '--yes', '--quiet', '--no-install-recommends', '--option=Dpkg::Use-Pty=0']

interface RunOptions {
  /** Whoever runs it; root unless told. */
  readonly user?: string
}

/** A bare Debian 13 in a temporary folder, with the packages named and what these need. Only root can make one. */
export class FreshRoot {
  readonly folder = mkdtempSync(join(tmpdir(), 'slotwire-root-'))

  constructor(packages: readonly string[]) {
    execFileSync('tar', ['--extract', '--numeric-owner', `--file=${bareDebian(packages)}`, `--directory=${this.folder}`])
  }

  /** A path of the root as this machine names it. */
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
   * Starts a program in the root, with processes and mounts of its own and this machine's network. When the process that is given ends, so
   * does all that it has started.
   */
  start(command: readonly string[], { user }: RunOptions = {}): ChildProcessWithoutNullStreams {
    const identity = user === undefined ? [] : ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--init-groups', '--reset-env']
    const apart = ['--mount', '--pid', '--fork', '--kill-child', `--mount-proc=${this.path('proc')}`]
    // A shell stays in between: who changes his user would outlive the process that is given.
    const inside = ['chroot', this.folder, 'sh', '-c', '"$@"; exit $?', 'sh', ...identity, ...command]
    return spawn('unshare', [...apart, ...inside], { env: ENVIRONMENT })
  }

  /** Every file by its path: kind, rights, owner, and for all but folders what it leads to, its size and its date. */
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

/** An archive of a bare Debian, made when there is no young one in the user's cache. */
function bareDebian(packages: readonly string[]): string {
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
