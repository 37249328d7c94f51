// Prints the Debian packages of missing system programs, one per line.
import { debianPackage, findProgram, programNames } from './system-programs.mjs'

for (const name of programNames) if (findProgram(name) === undefined) process.stdout.write(`${debianPackage(name)}\n`)
