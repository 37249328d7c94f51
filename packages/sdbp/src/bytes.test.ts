import { describe, expect, it } from 'vitest'
import { ByteReader, ByteWriter } from './bytes.ts'
import { faultOf, fromHex, toHex } from './hex.testkit.ts'

describe('ByteWriter', () => {
  it('collects numbers and bytes, big-endian', () => {
    const writer = new ByteWriter()
    writer.unsigned(1, 1)
    writer.bytes(fromHex('AA BB'))
    writer.unsigned(0x80000001, 4)
    expect(toHex(writer.finish())).toBe('01 AA BB 80 00 00 01')
  })

  it('returns a copy, which later writes do not change', () => {
    const writer = new ByteWriter()
    writer.unsigned(1, 1)
    const first = writer.finish()
    writer.unsigned(2, 1)
    expect(toHex(first)).toBe('01')
    expect(toHex(writer.finish())).toBe('01 02')
  })
})

describe('ByteReader', () => {
  it('reads to the end and reports how much is left', () => {
    const reader = new ByteReader(fromHex('01 02 03 FF FF FF FF 09'), 1)
    expect(reader.unsigned(2)).toBe(0x0203)
    expect(reader.unsigned(4)).toBe(0xffffffff)
    expect(reader.left).toBe(1)
    expect(toHex(reader.rest())).toBe('09')
    expect(reader.left).toBe(0)
    expect(toHex(reader.rest())).toBe('')
  })

  it('reports reading past the end as truncated, and keeps its position', () => {
    const reader = new ByteReader(fromHex('01 02'))
    expect(faultOf(() => reader.unsigned(4))).toBe('truncated')
    expect(reader.unsigned(2)).toBe(0x0102)
    expect(faultOf(() => reader.bytes(1))).toBe('truncated')
  })

  it('reports an offset beyond the data as truncated', () => {
    expect(faultOf(() => new ByteReader(fromHex('01'), 3).unsigned(1))).toBe('truncated')
    expect(new ByteReader(fromHex('01'), 3).left).toBe(0)
  })
})
