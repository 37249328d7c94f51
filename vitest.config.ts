import { defineConfig } from 'vitest/config'

export default defineConfig({
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'] } },
  test: {
    include: ['{packages,apps,benchmarks,packaging,tools}/**/*.test.ts', 'modules/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**'],
    // No test waits for time to pass; but real programs and many properties take theirs on a busy machine.
    testTimeout: 20_000,
    hookTimeout: 20_000,
  },
})
