// `npm test -- <vitest options>`: installs, builds, runs every test, and names what could not be run.
import './setup/require-node.mjs'
import { rmSync } from 'node:fs'

const { install } = await import('./setup/install.mjs')
const { build } = await import('./setup/build.mjs')
const { run } = await import('./setup/run.mjs')
const { inRoot } = await import('./setup/root.mjs')
const { missingPrograms, systemPrograms } = await import('./setup/system-programs.mjs')
const { readReport, reportFile } = await import('./setup/test-report.mjs')

process.exitCode = (await install('all')) || (await build()) || (await test())

async function test() {
  rmSync(reportFile, { force: true })
  const vitest = inRoot('node_modules', 'vitest', 'vitest.mjs')
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`]
  const code = await run(process.execPath, [vitest, 'run', ...reporters, ...process.argv.slice(2)])
  const missing = missingPrograms()
  if (missing.length === 0) return code
  sayWhatIsMissing(missing)
  return process.env['CI'] === 'true' ? code || 1 : code
}

/** @param {import('./setup/system-programs.mjs').ProgramName[]} missing */
function sayWhatIsMissing(missing) {
  const notRun = readReport()?.notRun ?? []
  for (const name of missing) {
    const { debian, purpose } = systemPrograms[name]
    process.stderr.write(
      `\nNot found: ${name} (${purpose}). On Debian: apt-get install ${debian}; or tools/install-system-programs.sh\n`,
    )
    for (const title of notRun.filter((text) => needs(text, name))) process.stderr.write(`  not run: ${title}\n`)
  }
}

/**
 * Whether a test's title says that it needs a program, alone or among others (describe-with.mjs).
 * @param {string} title
 * @param {string} name
 */
function needs(title, name) {
  return [...title.matchAll(/\(needs ([^()]*)\)/g)].some(([, names]) => names?.split(', ').includes(name))
}
