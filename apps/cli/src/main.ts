#!/usr/bin/env node
import { preload } from './run/preload.ts'

preload('./program.js')
const { runProgram } = await import('./program.ts')
await runProgram()
