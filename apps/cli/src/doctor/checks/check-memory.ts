import { type Check, ok, warning } from '../check.ts'
import { linesOf } from '../host/files.ts'

/** What a service with all its processes needs, with room to spare, in MiB. */
const ENOUGH_MIB = 200
const KIB_PER_MIB = 1024

export const memoryCheck: Check = {
  name: 'memory',
  group: 'Program',
  isForHardware: false,
  subject: ({ roots }) => `${roots.proc}/meminfo`,
  run: async ({ roots }) => {
    const lines = await linesOf(`${roots.proc}/meminfo`)
    const kib = lines.flatMap((line) => /^MemAvailable:\s+(\d+) kB$/.exec(line)?.[1] ?? []).map(Number)[0]
    if (kib === undefined) return [ok('this system does not tell how much is free')]
    const found = `${Math.floor(kib / KIB_PER_MIB)} MiB available`
    if (kib >= ENOUGH_MIB * KIB_PER_MIB) return [ok(found)]
    return [
      warning(
        `${found}, less than ${ENOUGH_MIB}`,
        'See who takes it, and stop what is not needed: ps -e -o rss,pid,args --sort=-rss.',
      ),
    ]
  },
}
