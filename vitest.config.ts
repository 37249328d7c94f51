import { existsSync } from 'node:fs'
import { defineConfig, type UserWorkspaceConfig } from 'vitest/config'
import { filesOf, wholeDeviceFiles } from './tools/tests/tiers.mjs'

const CASES = 'tools/tests/generated-cases.setup.ts'
/** Files in memory, where the machine has that: many unit tests write a few, and sync them. */
const MEMORY_FOLDER = '/dev/shm'
/** Of a test or hook. No test waits for time to pass, but real programs take theirs on a busy machine. */
const LIMIT_MS = 20_000
/** Over the kernel's files some tests let minutes of the device's time go by, in thousands of exchanges with other processes. */
const KERNEL_LIMIT_MS = 600_000

function project(name: string, test: UserWorkspaceConfig['test']): UserWorkspaceConfig {
  const limits = { testTimeout: LIMIT_MS, hookTimeout: LIMIT_MS }
  return { test: { name, setupFiles: [CASES], ...limits, ...test } }
}

export default defineConfig({
  test: {
    experimental: { fsModuleCache: true },
    projects: [
      project('unit', {
        ...filesOf('unit'),
        pool: 'threads',
        isolate: false,
        setupFiles: [CASES, 'tools/tests/unit-tier.setup.ts'],
        env: existsSync(MEMORY_FOLDER) ? { TMPDIR: MEMORY_FOLDER } : {},
      }),
      project('process', filesOf('process')),
      project('system', filesOf('system')),
      project('kernel', {
        ...wholeDeviceFiles,
        // Half of its time would be imports; the same files share a thread in the unit tier.
        isolate: false,
        env: { SLOTWIRE_WORLDS: 'kernel' },
        testTimeout: KERNEL_LIMIT_MS,
        hookTimeout: KERNEL_LIMIT_MS,
      }),
      project('long', filesOf('long')),
    ],
  },
})
