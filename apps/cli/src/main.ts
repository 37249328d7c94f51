#!/usr/bin/env node
import { loadRemedy, processLimits } from './run/descriptors.ts'

// Node.js opens the modules of a command all at once, before the command can say anything.
const remedy = loadRemedy(processLimits())
if (remedy === undefined) {
  const { runProcess } = await import('./program.ts')
  await runProcess()
} else {
  process.stderr.write(`slotwire: ${remedy}\n`)
  process.exitCode = 2
}
