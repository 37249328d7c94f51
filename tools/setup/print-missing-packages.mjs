// The Debian packages of the system programs that are missing, one per line.
import { missingPrograms, systemPrograms } from './system-programs.mjs'

for (const name of missingPrograms()) process.stdout.write(`${systemPrograms[name].debian}\n`)
