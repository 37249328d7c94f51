import { ManualClock } from '@slotwire/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RequestStatistics } from './request-statistics.ts'

const LABELS = { service: 'toy', endpoint: 'getLevel', method: 'GET' }

function requestsOf(statistics: RequestStatistics): Record<string, number> {
  const family = statistics.families().find(({ name }) => name === 'slotwire_http_requests_total')
  return Object.fromEntries(
    (family?.samples ?? []).map(({ labels, value }) => [`${labels?.['endpoint']} ${labels?.['status']}`, value]),
  )
}

describe('RequestStatistics', () => {
  it('reports some statuses from the start, so that the first failure is visible as an increase', () => {
    const statistics = new RequestStatistics(new ManualClock())
    statistics.record(LABELS)
    expect(requestsOf(statistics)).toEqual({
      'getLevel 200': 0,
      'getLevel 500': 0,
      'getLevel 503': 0,
      'none 400': 0,
      'none 404': 0,
    })
  })

  it('has a limited number of series for any statuses', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -1, max: 1000 })), (statuses) => {
        const statistics = new RequestStatistics(new ManualClock())
        const record = statistics.record(LABELS)
        for (const status of statuses) {
          record.count(status)
          statistics.countUnmatched(status)
        }
        const requests = requestsOf(statistics)
        const sum = Object.values(requests).reduce((total, value) => total + value, 0)
        expect(sum).toBe(2 * statuses.length)
        expect(Object.keys(requests).length).toBeLessThanOrEqual(2 * 18)
      }),
    )
  })
})
