import type { IncomingMessage } from 'node:http'
import type { Answer } from '../pipeline/answer.ts'
import type { Caller } from './caller.ts'

/** What a door does with a request before anything else looks at it: it lets a caller in, or answers by itself. */
export type Reception = { readonly caller: Caller } | { readonly answer: Answer }

/** Called once for each request, with its head alone; must not take its body. An answer to a request with a body ends the connection. */
export type Receive = (request: IncomingMessage) => Reception
