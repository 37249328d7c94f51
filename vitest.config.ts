import { defineConfig } from 'vitest/config'

export default defineConfig({
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'] } },
  test: {
    include: ['{packages,apps,benchmarks,tools}/**/*.test.ts', 'modules/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**'],
  },
})
