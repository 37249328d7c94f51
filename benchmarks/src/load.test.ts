import { describe, expect, it } from 'vitest'
import { readAutocannon, readWrk } from './load.ts'

const WRK = `Running 2s test @ http://127.0.0.1:8080/
  1 threads and 32 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency   500.12us  100.00us   5.00ms   90.00%
    Req/Sec    31.02k     2.00k   35.00k    70.00%
  Latency Distribution
     50%  480.00us
     75%  520.00us
     90%  700.00us
     99%    1.25ms
  62041 requests in 2.00s, 29.90MB read
Requests/sec:  31019.55
Transfer/sec:     14.95MB
`

describe('readWrk', () => {
  it('reads requests, rate and 99 % latency in any unit', () => {
    expect(readWrk(WRK)).toEqual({ requests: 62_041, requestsPerSecond: 31_019.55, p99Ms: 1.25 })
    expect(readWrk(WRK.replace('1.25ms', '950.00us')).p99Ms).toBeCloseTo(0.95)
  })

  it('throws if requests failed', () => {
    expect(() => readWrk(`${WRK}  Non-2xx or 3xx responses: 12\n`)).toThrow('Non-2xx or 3xx responses: 12')
    expect(() => readWrk(`${WRK}  Socket errors: connect 0, read 3, write 0, timeout 0\n`)).toThrow('Socket errors')
  })

  it('throws for unexpected output', () => expect(() => readWrk('hello')).toThrow('hello'))
})

describe('readAutocannon', () => {
  const report = { requests: { total: 100, average: 50 }, latency: { p99: 3 }, errors: 0, non2xx: 0 }

  it('reads requests, rate and 99 % latency', () =>
    expect(readAutocannon(JSON.stringify(report))).toEqual({ requests: 100, requestsPerSecond: 50, p99Ms: 3 }))

  it('throws if requests failed', () => {
    expect(() => readAutocannon(JSON.stringify({ ...report, non2xx: 1 }))).toThrow('1 answers of another status')
    expect(() => readAutocannon(JSON.stringify({ ...report, errors: 2 }))).toThrow('2 errors')
  })
})
