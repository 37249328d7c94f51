#!/usr/bin/env node
import { preload } from './preload.ts'

preload('./program.js')
const { runProcess } = await import('./program.ts')
await runProcess()
