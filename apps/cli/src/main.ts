#!/usr/bin/env node
import { preload } from './preload.ts'

preload('./program.js')
const { runProgram } = await import('./program.ts')
await runProgram()
