import fc from 'fast-check'
import { fastCheckParameters } from './generated-cases.mjs'

fc.configureGlobal(fastCheckParameters)
