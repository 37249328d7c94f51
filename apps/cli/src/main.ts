#!/usr/bin/env node
import { runProcess } from './program.ts'

await runProcess()
