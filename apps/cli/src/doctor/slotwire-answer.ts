import { get } from 'node:http'
import type { Clock } from '@slotwire/core'

const LOOPBACK = '127.0.0.1'
/** How long a service may take for an answer that it has in memory; a check asks for two in turn at most. */
export const ANSWER_DEADLINE_MS = 2000
/** Longer than any answer that is asked for here. */
const LONGEST_ANSWER = 1_048_576
/** Every Slotwire answers this, whatever state its modules are in. */
const LIVE_PATH = '/slotwire/livez'
const LIVE_ANSWER = '{"status":"success"}'

/** What was answered over HTTP. */
export interface Answer {
  readonly status: number
  readonly text: string
}

/** Whether a Slotwire answers at a port of loopback. Never rejects. */
export async function isOurPort(port: number, clock: Clock): Promise<boolean> {
  return (await answerAt(port, LIVE_PATH, clock))?.text === LIVE_ANSWER
}

/** What is answered at a port of loopback; undefined: nothing, or nothing in time, or no end of it. Never rejects. */
export function answerAt(port: number, path: string, clock: Clock): Promise<Answer | undefined> {
  return new Promise((resolve) => {
    const request = get({ host: LOOPBACK, port, path, agent: false })
    let text = ''
    const end = (answer?: Answer): void => {
      timer.cancel()
      request.destroy()
      resolve(answer)
    }
    const timer = clock.after(ANSWER_DEADLINE_MS, () => end())
    request.on('error', () => end())
    request.on('response', (response) => {
      response.setEncoding('utf8')
      response.on('data', (part: string) => {
        text += part
        if (text.length > LONGEST_ANSWER) end()
      })
      response.on('error', () => end())
      response.on('end', () => end({ status: response.statusCode ?? 0, text }))
    })
  })
}
