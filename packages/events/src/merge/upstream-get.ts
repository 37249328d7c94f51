import { get as httpGet, type IncomingMessage } from 'node:http'
import { get as httpsGet } from 'node:https'
import { type Clock, orElse } from '@slotwire/core'

/** Longest time for an answer. */
const ANSWER_MS = 5_000
/** Longest answer in characters: a state of eight modules is far shorter. */
const LONGEST_ANSWER = 1_048_576

/** Starts a GET at a service in another process, on a connection of its own. */
export function openGet(
  address: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  onAnswer: (answer: IncomingMessage) => void,
): ReturnType<typeof httpGet> {
  const url = new URL(path, address)
  return (url.protocol === 'https:' ? httpsGet : httpGet)(url, { headers, agent: false }, onAnswer)
}

/** The JSON at a path of a service in another process. Rejects for any status but 200, and after a deadline. */
export function getJson(address: string, path: string, clock: Clock): Promise<unknown> {
  return new Promise((resolve, reject) => {
    let text = ''
    const request = openGet(address, path, { accept: 'application/json' }, (answer) => {
      answer.setEncoding('utf8').on('data', (part: string) => {
        text += part
        if (text.length > LONGEST_ANSWER) request.destroy(new Error('its answer is too long'))
      })
      answer.once('end', () => {
        const value = orElse<unknown>(undefined, () => JSON.parse(text))
        if (answer.statusCode === 200 && value !== undefined) resolve(value)
        else reject(new Error(`it answered with ${answer.statusCode}`))
      })
      answer.once('error', reject)
    })
    const deadline = clock.after(ANSWER_MS, () => request.destroy(new Error(`no answer in ${ANSWER_MS} ms`)))
    request.on('error', reject)
    request.once('close', () => deadline.cancel())
  })
}
