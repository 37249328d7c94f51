#!/usr/bin/env node
// The command that npm links. It is not in dist: npm links only files that exist at installation, before the first build.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const program = new URL('../dist/main.js', import.meta.url)
if (existsSync(fileURLToPath(program))) await import(program.href)
else {
  process.stderr.write('slotwire: not built yet: run `npm start` or `npm test` once to build it\n')
  process.exitCode = 2
}
