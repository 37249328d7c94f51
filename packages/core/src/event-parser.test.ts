import { describe, expect, it } from 'vitest'
import { EventParser, type StreamMessage } from './event-parser.ts'

function messagesIn(text: string, partLength: number): readonly StreamMessage[] {
  const messages: StreamMessage[] = []
  const parser = new EventParser((message) => messages.push(message))
  for (let at = 0; at < text.length; at += partLength) parser.add(text.slice(at, at + partLength))
  return messages
}

describe('EventParser', () => {
  it.each([1, 2, 3, 7, 1000])('reads the same messages from parts of %i characters', (partLength) => {
    const text = ': hello\r\nid: 7-1\r\ndata: {"a":\ndata: 1}\r\n\r\nid: 7-2\n\ndata:{}\n\n'
    expect(messagesIn(text, partLength)).toEqual([
      { id: '7-1', data: { a: 1 } },
      { id: '7-2', data: {} },
    ])
  })

  it('takes time in proportion to the length of a message, however small its parts are', () => {
    const value = 'x'.repeat(1_000_000)
    expect(messagesIn(`data: {"a":"${value}"}\n\n`, 4)).toEqual([{ id: '', data: { a: value } }])
  })

  it('refuses a line that is too long before it ends', () =>
    expect(() => messagesIn(`data: ${'x'.repeat(1_048_576)}`, 64)).toThrow('a message is longer than 1048576 characters'))
})
