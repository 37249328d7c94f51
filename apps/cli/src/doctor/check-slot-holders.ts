import { realpath } from 'node:fs/promises'
import { type Check, type Finding, failure, ok } from './check.ts'
import type { Installation } from './installation.ts'
import { formatProcess, isOurs, openFiles, stopping } from './processes.ts'
import { occupiedSlots } from './slots.ts'

export const slotHoldersCheck: Check = {
  name: 'slots in use',
  group: 'Hardware',
  isForHardware: true,
  subject: ({ roots }) => `who has a slot open: ${roots.proc}/*/fd`,
  run: async (installation) => {
    const slots = await occupiedSlots(installation)
    const files = await Promise.all(slots.map(async ({ name, file }) => ({ name, file: await realpath(file).catch(() => file) })))
    const { holders, isPartial } = await openFiles(
      installation.roots.proc,
      files.map(({ file }) => file),
    )
    const findings: Finding[] = []
    for (const { name, file } of files) {
      for (const process of holders.get(file) ?? []) findings.push(await judge(installation, name, process))
    }
    if (findings.length > 0) return findings
    return [ok(isPartial ? 'by no process that this user may look at; root sees them all' : 'by nobody')]
  },
}

async function judge(
  { roots, state }: Installation,
  slot: string,
  process: Parameters<typeof formatProcess>[0],
): Promise<Finding> {
  const name = `${slot} in use`
  const holder = formatProcess(process)
  if (await isOurs(roots.proc, state, process)) return ok(`by a Slotwire that runs: ${holder}`, name)
  return failure(`by another program, and only one can have it: ${holder}`, `Stop it: ${stopping(process)}.`, name)
}
