#!/usr/bin/env node
// The command that npm links. It stands beside the sources, for npm links only what is there when it installs; the program is built later.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const program = new URL('../dist/main.js', import.meta.url)
if (existsSync(fileURLToPath(program))) await import(program.href)
else {
  process.stderr.write('slotwire: not built yet: run `npm start` or `npm test` once, which build it\n')
  process.exitCode = 2
}
