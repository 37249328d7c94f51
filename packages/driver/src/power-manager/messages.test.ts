import { describe, expect, it } from 'vitest'
import { MessageReader } from './message-connection.ts'
import {
  actionDone,
  actionReply,
  decisionOf,
  decodeMessage,
  encodeDecision,
  encodeMessage,
  encodeRequest,
  powerReply,
  powerRequest,
} from './messages.ts'

/** The messages of wire-protocol.md section 4, with lengths counted by hand. */
const REQUEST = `\x7f\0\0\0{"protocol_version":"1.0.0","msg_type":"request","slot_number":3,"max_power_3v3":300,"max_power_5v0":1200,"max_power_12v":6000}`
const REPLY = `\x86\0\0\0{"protocol_version":"1.0.0","msg_type":"response","successful":true,"to_much_power_3v3":0,"to_much_power_5v0":0,"to_much_power_12v":0}`
const DONE = `\x44\0\0\0{"protocol_version":"1.0.0","msg_type":"request","action_done":true}`
const NOTED = `\x56\0\0\0{"protocol_version":"1.0.0","msg_type":"response","successful":true,"message":"noted"}`

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1')
const body = (value: object): Buffer => Buffer.from(JSON.stringify(value))
const head = { protocol_version: '1.0.0', msg_type: 'response' }
const reply = { ...head, successful: true, to_much_power_3v3: 1, to_much_power_5v0: 2, to_much_power_12v: 65_535 }
const nothing = { power3v3: 0, power5v0: 0, power12v: 0 }

describe('encoded messages', () => {
  it('have the bytes of the protocol', () => {
    expect(encodeRequest(3, { power3v3: 300, power5v0: 1200, power12v: 6000 })).toEqual(bytes(REQUEST))
    expect(encodeDecision({ granted: true, missing: nothing })).toEqual(bytes(REPLY))
    expect(encodeMessage(actionDone, 'request', { action_done: true })).toEqual(bytes(DONE))
    expect(encodeMessage(actionReply, 'response', { successful: true, message: 'noted' })).toEqual(bytes(NOTED))
  })

  it('refuse a figure that does not fit into 16 bits', () => {
    const tooMuch = { ...nothing, power12v: 65_536 }
    expect(() => encodeRequest(3, tooMuch)).toThrow('max_power_12v is out of range: 0…65535 mW, not 65536')
    expect(() => encodeRequest(8, nothing)).toThrow('slot_number is out of range: 0…7, not 8')
    expect(encodeDecision({ granted: false, missing: tooMuch }).toString()).toContain('"to_much_power_12v":65535')
  })

  it('stay below 4096 bytes, however long the reason is', () => {
    const words = '\u0001'.repeat(10_000)
    expect(encodeDecision({ granted: false, missing: nothing }, words).readUInt32LE()).toBeLessThan(4096)
  })
})

describe('a received message', () => {
  it('is read, whatever its msg_type, and unknown fields are ignored', () => {
    const found = decodeMessage(powerReply, body({ ...reply, msg_type: 'anything', protocol_version: '1.7.2', more: [1] }))
    expect(decisionOf(found)).toEqual({ granted: true, missing: { power3v3: 1, power5v0: 2, power12v: 65_535 } })
  })

  it.each([[null], [3], [undefined]])('is accepted as a reply with any msg_type: %j', (type) => {
    expect(decodeMessage(powerReply, body({ ...reply, msg_type: type }))).toMatchObject({ successful: true })
    expect(decodeMessage(actionReply, body({ ...head, msg_type: type, successful: false }))).toMatchObject({ successful: false })
  })

  it('is accepted as a request only with a msg_type of text', () => {
    const read = (type: unknown) => () => decodeMessage(actionDone, body({ ...head, msg_type: type, action_done: true }))
    expect(read(3)).toThrow('msg_type must be a string, not a number')
    expect(read(undefined)).toThrow('msg_type is missing: a string')
  })

  it.each([
    ['{', 'it is not JSON'],
    ['', 'it is not JSON'],
    ['\xff"', 'it is not JSON'],
    ['[]', 'the message must be a JSON object'],
    ['null', 'the message must be a JSON object'],
    [{ ...reply, successful: undefined }, 'successful is missing: true or false'],
    [{ ...reply, successful: 1 }, 'successful must be true or false, not a number'],
    [{ ...reply, to_much_power_3v3: -1 }, 'to_much_power_3v3 is out of range: 0…65535 mW, not -1'],
    [{ ...reply, to_much_power_5v0: 65_536 }, 'to_much_power_5v0 is out of range: 0…65535 mW, not 65536'],
    [{ ...reply, to_much_power_5v0: 0.5 }, 'to_much_power_5v0 must be a whole number: 0…65535 mW, not 0.5'],
    [{ ...reply, to_much_power_12v: '7' }, 'to_much_power_12v must be an integer, not "7": 0…65535 mW'],
    [{ ...reply, protocol_version: '2.0.0' }, 'protocol_version is not allowed: a version 1.x.x, not "2.0.0"'],
    [{ ...reply, message: {} }, 'message must be a string, not an object'],
  ])('is refused when it is %j', (found, problem) => {
    const read = () => decodeMessage(powerReply, typeof found === 'string' ? bytes(found) : body(found))
    expect(read).toThrow(problem)
  })

  it('is refused when a field is only inherited', () =>
    expect(() => decodeMessage(powerRequest, body({ ...head, __proto__: { slot_number: 3 } }))).toThrow('slot_number is missing'))
})

describe('MessageReader', () => {
  it('finds the messages, however their bytes are split', () => {
    for (let size = 1; size < 300; size++) {
      const stream = bytes(REPLY + NOTED)
      const reader = new MessageReader()
      const found: string[] = []
      for (let at = 0; at < stream.length; at += size) {
        found.push(...reader.push(stream.subarray(at, at + size)).map((one) => one.toString()))
      }
      expect(found).toEqual([REPLY.slice(4), NOTED.slice(4)])
    }
  })

  it('reports how much of a message has come', () => {
    const reader = new MessageReader()
    expect(reader.received).toBe('nothing came')
    reader.push(bytes(REPLY.slice(0, 2)))
    expect(reader.received).toBe('2 of the 4 bytes of a length came')
    reader.push(bytes(REPLY.slice(2, 54)))
    expect(reader.received).toBe('50 of 134 bytes came')
    expect(reader.push(bytes(REPLY.slice(54)))).toHaveLength(1)
    expect(reader.received).toBe('nothing came')
  })

  it('takes 4096 bytes and refuses a longer message from its length alone', () => {
    const longest = Buffer.alloc(4 + 4096, 'x')
    longest.writeUInt32LE(4096)
    expect(new MessageReader().push(longest)[0]).toHaveLength(4096)
    const refused = (length: string) => () => new MessageReader().push(bytes(length))
    expect(refused('\x01\x10\0\0')).toThrow('it announces 4097 bytes, and at most 4096 are allowed')
    expect(refused('\xff\xff\xff\xff')).toThrow('it announces 4294967295 bytes')
  })
})
