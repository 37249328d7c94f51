import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Routes } from './routes.ts'

/** What one HTTP application does with the requests of a router. */
export interface Answering {
  readonly routes: Pick<Routes, 'handle'>
  /** Gets what no route takes. */
  readonly refuse: (request: FastifyRequest, reply: FastifyReply) => void
  /** Gets what a handler threw. */
  readonly fail: (request: FastifyRequest, reply: FastifyReply, error: unknown) => void
}

/** Kept with the request itself, as its caller is. */
const ANSWERING = Symbol('answering')

declare module 'node:http' {
  interface IncomingMessage {
    [ANSWERING]?: Answering
  }
}

/** Notes which application answers this request. */
export function setAnswering(request: IncomingMessage, answering: Answering): void {
  request[ANSWERING] = answering
}

/** Which application answers this request; undefined where nobody noted it. */
export function answeringOf(request: IncomingMessage): Answering | undefined {
  return request[ANSWERING]
}
