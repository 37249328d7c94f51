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

describe('a head that an older parser lets through', () => {
  it.each(['', 'a ', 'a b', ' a'])('has a name that is none: %j', (name) => {
    expect(headProblem(withHeader(name))).toBe(HEADER_LINES)
  })

  it.each(['/api/\tio/', '/api/io/\f', '/?a\tb'])('has space in its target: %j', (url) => {
    expect(headProblem({ ...HEAD, url })).toBe(TARGET_ENCODING)
  })
})

describe('a head', () => {
  it.each(['a', "!#$%&'*+-.^_`|~", 'X-Request-Id'])('may have the name %s', (name) => {
    expect(headProblem(withHeader(name))).toBeUndefined()
  })

  it('must have one Host in HTTP/1.1, and need not in HTTP/1.0', () => {
    const without = { ...HEAD, headers: {}, rawHeaders: [] }
    expect(headProblem(without)).toBe('the Host header is missing')
    expect(headProblem({ ...without, httpVersion: '1.0' })).toBeUndefined()
    expect(headProblem(withHeader('HOST'))).toBe('there is more than one Host header')
  })
})
