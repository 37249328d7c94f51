import { describe, expect, it } from 'vitest'
import { isVisible, visible, visibleJson } from './visible.ts'

describe('visible text', () => {
  it.each([
    ['a\n\r\tb', 'a\\n\\r\\tb'],
    ['\x1b[31m\x9b1m', '\\u{1b}[31m\\u{9b}1m'],
    ['\u202eb\u2028', '\\u{202e}b\\u{2028}'],
    ['\u{e0041}\u200b\ud800', '\\u{e0041}\\u{200b}\\u{d800}'],
  ])('shows %j as %s', (text, shown) => {
    expect(visible(text)).toBe(shown)
    expect(isVisible(text)).toBe(false)
  })

  it.each(['', 'Zürich 10 °C', '👩‍🔧', 'می‌خواهم'])('does not change %j', (text) => {
    expect(visible(text)).toBe(text)
    expect(isVisible(text)).toBe(true)
  })

  it('is cut if it is too long', () => {
    expect(visible('abc\ndef', 4)).toBe('abc\\n…')
    expect(visible('abc\n', 4)).toBe('abc\\n')
  })

  it.each(['\u0000\u009b', '\u202e\u{e0041}', 'Zürich 10 °C 👩‍🔧', { a: 'b\n', c: null }])(
    'is JSON of %j that a program reads as before',
    (value) => {
      const json = visibleJson(value)
      expect(isVisible(json)).toBe(true)
      expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(value)))
    },
  )
})
