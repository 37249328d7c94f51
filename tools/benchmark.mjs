// `npm run benchmark`: installs, builds, measures; writes docs/performance.md.
import './setup/require-node.mjs'

const { install } = await import('./setup/install.mjs')
const { build } = await import('./setup/build.mjs')
const { run } = await import('./setup/run.mjs')
const { inRoot } = await import('./setup/root.mjs')

process.exitCode =
  (await install('tests')) ||
  (await build()) ||
  (await build(async () => {
    const { bundleBenchmarks } = await import('./build/program.mjs')
    await bundleBenchmarks()
  })) ||
  (await run(process.execPath, [inRoot('benchmarks', 'dist', 'main.js'), ...process.argv.slice(2)]))
