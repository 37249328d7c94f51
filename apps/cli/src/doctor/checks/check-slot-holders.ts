import { realpath } from 'node:fs/promises'
import { type Check, type Finding, failure, ok } from '../check.ts'
import { formatProcess, isOurs, openFiles, type RunningProcess } from '../host/processes.ts'
import { drivenSlots, occupiedSlots } from '../host/slots.ts'
import type { Installation } from '../installation.ts'
import { stopping } from '../units/stopping.ts'

export const slotHoldersCheck: Check = {
  name: 'slots in use',
  group: 'Hardware',
  isForHardware: true,
  subject: ({ roots }) => `who has a slot open: ${roots.proc}/*/fd`,
  run: async (installation) => {
    const [slots, driven] = await Promise.all([occupiedSlots(installation), drivenSlots(installation)])
    const files = await Promise.all(slots.map(async ({ name, file }) => ({ name, file: await realpath(file).catch(() => file) })))
    const { holders, isPartial } = await openFiles(
      installation.roots.proc,
      files.map(({ file }) => file),
    )
    const findings: Finding[] = []
    for (const { name, file } of files) {
      const isDriven = driven.some((slot) => slot.name === name)
      for (const process of holders.get(file) ?? []) findings.push(await judge(installation, { name, isDriven }, process))
    }
    if (findings.length > 0) return findings
    return [ok(isPartial ? 'by no process that this user may look at; root sees them all' : 'by nobody')]
  },
}

async function judge(
  installation: Installation,
  slot: { readonly name: string; readonly isDriven: boolean },
  process: RunningProcess,
): Promise<Finding> {
  const { roots, state } = installation
  const name = `${slot.name} in use`
  const holder = formatProcess(process)
  if (await isOurs(roots.proc, state, process)) return ok(`by a Slotwire that runs: ${holder}`, name)
  if (!slot.isDriven) return ok(`left to ${holder}`, name)
  return failure(`by another program, and only one can have it: ${holder}`, await stopping(installation, process), name)
}
