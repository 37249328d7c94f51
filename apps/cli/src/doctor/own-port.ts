import { get } from 'node:http'
import type { Clock } from '@slotwire/core'
import { CONNECT_DEADLINE_MS } from './connect.ts'

const LOOPBACK = '127.0.0.1'
/** Every Slotwire answers this, whatever state its modules are in. */
const LIVE_PATH = '/slotwire/livez'
const LIVE_ANSWER = '{"status":"success"}'

/** Whether a Slotwire answers at a port of loopback. Never rejects. */
export function isOurPort(port: number, clock: Clock): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get({ host: LOOPBACK, port, path: LIVE_PATH, agent: false })
    let text = ''
    const end = (isOurs: boolean): void => {
      timer.cancel()
      request.destroy()
      resolve(isOurs)
    }
    const timer = clock.after(CONNECT_DEADLINE_MS, () => end(false))
    request.on('error', () => end(false))
    request.on('response', (response) => {
      response.setEncoding('utf8')
      response.on('data', (part: string) => {
        text += part
        if (text.length > LIVE_ANSWER.length) end(false)
      })
      response.on('error', () => end(false))
      response.on('end', () => end(text === LIVE_ANSWER))
    })
  })
}
