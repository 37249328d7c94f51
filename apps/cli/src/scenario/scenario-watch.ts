import { statSync } from 'node:fs'
import { type Clock, orElse } from '@slotwire/core'
import { UsageError } from '../terminal/usage-error.ts'
import { checkedOptions, type RunOptions, runOnce, type ScenarioContext, STOPPED_EXIT_CODE } from './run-command.ts'
import { readScenarios } from './scenario-files.ts'

/** Time between two looks at the files, in ms. Looking also sees files that editors replace, on every file system. */
const LOOK_MS = 200

/**
 * `slotwire scenario run --watch`: runs scenarios, and again when one of the files changes, or a file that they name. A change during a run
 * stops it. Mistakes do not end it; resolves after a stop signal.
 */
export async function watchFiles(files: readonly string[], options: RunOptions, context: ScenarioContext): Promise<void> {
  const special = files.find(isSpecial)
  if (special !== undefined) throw new UsageError(`${special} is not a regular file: --watch needs files that it can read again`)
  const checked = checkedOptions(files, options)
  const stop = new AbortController()
  void context.stopped().then(() => stop.abort(new Error('it was stopped')))
  let named: readonly string[] = []
  while (!stop.signal.aborted) {
    const stamps = stampsOf(files)
    const read = await readScenarios(files)
    // A scenario with mistakes names no files: the former ones may be what has to change.
    if (read.mistakes.length === 0) named = read.named
    const watched = new Map([...stampsOf(named), ...stamps])
    const changed = new AbortController()
    const watching = untilChanged(watched, context.clock, stop.signal).then(
      () => changed.abort(new Error('a file has changed')),
      () => undefined,
    )
    try {
      await runOnce(read, checked, context, () => AbortSignal.any([stop.signal, changed.signal]))
    } catch (error) {
      stop.abort()
      throw error
    }
    const what = watched.size === 1 ? '1 file' : `${watched.size} files`
    if (!changed.signal.aborted && !stop.signal.aborted) context.hint(`watching ${what}: a change runs again, Ctrl-C ends\n`)
    await watching
  }
  context.setExitCode(STOPPED_EXIT_CODE)
}

/** Resolves when a file has another stamp, and all have kept theirs for a moment: editors write in several steps. */
async function untilChanged(before: ReadonlyMap<string, string>, clock: Clock, signal: AbortSignal): Promise<void> {
  const files = [...before.keys()]
  const initial = [...before.values()].join()
  let last = initial
  for (;;) {
    await clock.sleep(LOOK_MS, signal)
    const now = [...stampsOf(files).values()].join()
    if (now !== initial && now === last) return
    last = now
  }
}

function stampsOf(files: readonly string[]): ReadonlyMap<string, string> {
  return new Map(files.map((file) => [file, stampOf(file)]))
}

/** Differs after a file was written, replaced, made or removed. */
function stampOf(file: string): string {
  const stats = orElse(undefined, () => statSync(file, { bigint: true }))
  return stats === undefined ? 'missing' : `${stats.ino} ${stats.size} ${stats.mtimeNs}`
}

/** Whether it is a pipe, a device or a folder. */
function isSpecial(file: string): boolean {
  return orElse(false, () => !statSync(file).isFile())
}
