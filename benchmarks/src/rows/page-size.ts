import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import type { Row } from '../row.ts'
import { startSlotwire } from '../server-process.ts'

const BYTES_PER_KILOBYTE = 1000
/** What a browser loads at the first visit. */
const PATHS = ['', '/page.css', '/page.js', '/icon.svg'].map((file) => `/slotwire/docs${file}`).concat('/slotwire/openapi.json')

/** What a browser receives for the API page, compressed. */
export const pageSize: Row = {
  name: 'page-size',
  what: 'the API page with all that it loads: sent to a browser',
  against: 'Swagger UI with the same document',
  goals: [{ of: 'size', at: 'most', bound: 250, unit: 'KB' }],
  measure: async () => {
    const { url, stop } = await startSlotwire()
    try {
      let bytes = 0
      for (const path of PATHS) {
        const [answer] = (await once(get(url + path, { headers: { 'accept-encoding': 'br' } }), 'response')) as [IncomingMessage]
        if (answer.statusCode !== 200) throw new Error(`${path} answers ${answer.statusCode}`)
        bytes += (await buffer(answer)).length
      }
      const kilobytes = bytes / BYTES_PER_KILOBYTE
      return [{ measured: `${kilobytes.toFixed(0)} KB`, comparison: '389 KB, measured once', figure: kilobytes }]
    } finally {
      await stop()
    }
  },
}
