import { describe, expect, it } from 'vitest'
import { headProblem, type RequestHead } from './request-head.ts'

const HEAD: RequestHead = {
  httpVersionMajor: 1,
  httpVersion: '1.1',
  headers: { host: 'localhost' },
  rawHeaders: ['Host', 'localhost'],
}

const withHeader = (name: string): RequestHead => ({ ...HEAD, rawHeaders: [...HEAD.rawHeaders, name, 'x'] })

describe('headProblem', () => {
  it.each(['a', "!#$%&'*+-.^_`|~", 'X-Request-Id'])('accepts the header name %s', (name) =>
    expect(headProblem(withHeader(name))).toBeUndefined(),
  )

  it('requires exactly one Host in HTTP/1.1, and none in HTTP/1.0', () => {
    const without = { ...HEAD, headers: {}, rawHeaders: [] }
    expect(headProblem(without)).toBe('the Host header is missing')
    expect(headProblem({ ...without, httpVersion: '1.0' })).toBeUndefined()
    expect(headProblem(withHeader('HOST'))).toBe('there is more than one Host header')
  })
})
