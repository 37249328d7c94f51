// `npm run deb -- [--arch <amd64|arm64>] [--output <folder>]`: installs, builds, and makes the Debian packages.
import './setup/require-node.mjs'

const { readOptions } = await import('./deb/options.mjs')
const { install } = await import('./setup/install.mjs')
const { build } = await import('./setup/build.mjs')
const { PackError } = await import('./pack/pack-error.mjs')

try {
  const options = readOptions(process.argv.slice(2))
  process.exitCode = (await install('tests')) || (await build())
  if (process.exitCode === 0) {
    // This module imports the bundler, which must be installed first.
    const { makePackages } = await import('./deb/make-packages.mjs')
    for (const file of await makePackages(options)) process.stdout.write(`${file}\n`)
  }
} catch (error) {
  if (!(error instanceof PackError)) throw error
  process.stderr.write(`npm run deb: ${error.message}\n`)
  process.exitCode = 2
}
