import { describe, expect, it } from 'vitest'
import { type Extension, extensionBody, isBodyOptional, reads, writes } from './endpoint-kinds.ts'
import { boolean, integer, objectOf } from './fields.ts'
import { extensionDocument } from './openapi/document.ts'

const extension = {
  name: 'lamps',
  description: 'Lamps around the device.',
  endpoints: {
    getLamps: { ...reads, path: '/slotwire/lamps', reply: objectOf({ on: integer() }), summary: 'How many are on', spec: 'ours' },
    setLamp: {
      ...writes,
      path: '/slotwire/lamps/{lamp}',
      parameters: { lamp: { description: 'its number', min: 1, max: 9, example: 2 } },
      body: objectOf({ on: boolean() }),
      summary: 'Switches one',
      spec: 'ours',
      example: { on: true },
    },
    blink: {
      ...writes,
      path: '/slotwire/lamps/all/blink',
      body: objectOf({ fast: boolean() }, { optional: ['fast'] }),
      summary: 'Makes them blink',
      spec: 'ours',
    },
    replace: { ...writes, path: '/slotwire/lamps/all/replace', summary: 'Replaces them', spec: 'ours' },
  },
} as const satisfies Extension

const { paths, tags } = extensionDocument(extension, { version: '1.2.3' })
const statusesOf = (path: string, method: 'get' | 'post') => Object.keys(paths[path]?.[method]?.responses ?? {}).map(Number)

describe('the API document of an extension', () => {
  it('has its own tag and full paths', () => {
    expect(tags).toEqual([{ name: 'lamps', description: 'Lamps around the device.' }])
    expect(paths['/slotwire/lamps/{lamp}']?.post).toMatchObject({ operationId: 'lamps.setLamp', tags: ['lamps'] })
    expect(paths['/slotwire/lamps/{lamp}']?.post?.parameters).toMatchObject([{ name: 'lamp', in: 'path', example: 2 }])
  })

  it('requires a body if a field is required', () => {
    expect(paths['/slotwire/lamps/{lamp}']?.post?.requestBody).toMatchObject({ required: true })
    expect(paths['/slotwire/lamps/all/blink']?.post?.requestBody).toMatchObject({ required: false })
    expect(paths['/slotwire/lamps/all/replace']?.post).not.toHaveProperty('requestBody')
  })

  it('has no versions, slots or restarts, but every error of a body', () => {
    expect(statusesOf('/slotwire/lamps', 'get')).toEqual([200, 400, 401, 403, 405, 408, 429, 431, 500, 503])
    const posts = [200, 400, 401, 403, 405, 408, 413, 415, 422, 429, 431, 500, 503]
    expect(statusesOf('/slotwire/lamps/all/replace', 'post')).toEqual(posts)
    expect(statusesOf('/slotwire/lamps/{lamp}', 'post')).toEqual([...posts, 404].sort((a, b) => a - b))
  })
})

it('the body of an extension is an empty object if the endpoint has none', () => {
  const { setLamp, blink, replace } = extension.endpoints
  expect(extensionBody(replace)).toMatchObject({ type: 'object', properties: {}, additionalProperties: false })
  const either = {
    ...replace,
    body: objectOf(
      { a: integer(), b: integer() },
      { optional: ['a', 'b'], rules: { oneOf: [{ required: ['a'] }, { required: ['b'] }] } },
    ),
  }
  expect([setLamp, either, blink, replace].map(isBodyOptional)).toEqual([false, false, true, true])
})
