import { defineConfig } from 'vitest/config'
import { filesOf } from './tools/tests/tiers.mjs'

const conditions = ['source']
const sources = { resolve: { conditions }, ssr: { resolve: { conditions } } }

export default defineConfig({
  test: {
    projects: [
      {
        ...sources,
        test: {
          name: 'unit',
          ...filesOf('unit'),
          setupFiles: ['tools/tests/unit-tier.setup.ts'],
          pool: 'threads',
          isolate: false,
          testTimeout: 20_000,
          hookTimeout: 20_000,
        },
      },
      { ...sources, test: { name: 'process', ...filesOf('process'), testTimeout: 20_000, hookTimeout: 20_000 } },
      { ...sources, test: { name: 'system', ...filesOf('system'), testTimeout: 20_000, hookTimeout: 20_000 } },
    ],
  },
})
