import { describe, expect, it } from 'vitest'
import { HEADER_LINES, headProblem, type RequestHead, TARGET_ENCODING } from './request-head.ts'

const HEAD: RequestHead = {
  httpVersionMajor: 1,
  httpVersion: '1.1',
  url: '/api/io/',
  headers: { host: 'localhost' },
  rawHeaders: ['Host', 'localhost'],
}

const withHeader = (name: string): RequestHead => ({ ...HEAD, rawHeaders: [...HEAD.rawHeaders, name, 'x'] })

describe('headProblem for heads that an older parser accepts', () => {
  it.each(['', 'a ', 'a b', ' a'])('reports the invalid header name %j', (name) => {
    expect(headProblem(withHeader(name))).toBe(HEADER_LINES)
  })

  it.each(['/api/\tio/', '/api/io/\f', '/?a\tb'])('reports white space in the target %j', (url) => {
    expect(headProblem({ ...HEAD, url })).toBe(TARGET_ENCODING)
  })
})

describe('headProblem', () => {
  it.each(['a', "!#$%&'*+-.^_`|~", 'X-Request-Id'])('accepts the header name %s', (name) => {
    expect(headProblem(withHeader(name))).toBeUndefined()
  })

  it('requires exactly one Host in HTTP/1.1, and none in HTTP/1.0', () => {
    const without = { ...HEAD, headers: {}, rawHeaders: [] }
    expect(headProblem(without)).toBe('the Host header is missing')
    expect(headProblem({ ...without, httpVersion: '1.0' })).toBeUndefined()
    expect(headProblem(withHeader('HOST'))).toBe('there is more than one Host header')
  })
})
