import { describe, expect, it } from 'vitest'
import { Rails } from './rails.ts'

const DRAW = { '3v3': 10, '5v0': 20, '12v': 30 }

function heard(rails: Rails) {
  let changes = 0
  rails.onChange(() => changes++)
  return () => changes
}

describe('the supply rails', () => {
  it('add up what the slots draw', () => {
    const rails = new Rails()
    rails.setDraw(0, DRAW)
    rails.setDraw(3, DRAW)
    rails.setDraw(3, { ...DRAW, '12v': 100 })
    expect([rails.current('3v3'), rails.current('5v0'), rails.current('12v')]).toEqual([20, 40, 130])
    rails.setDraw(0, undefined)
    expect(rails.current('12v')).toBe(100)
  })

  it('carry nothing while they are off', () => {
    const rails = new Rails()
    rails.setDraw(0, DRAW)
    rails.switchRail('12v', false)
    expect([rails.isOn('12v'), rails.current('12v'), rails.current('5v0')]).toEqual([false, 0, 20])
    rails.switchRail('12v', true)
    expect(rails.current('12v')).toBe(30)
  })

  it('tell of changes, and of nothing else', () => {
    const rails = new Rails()
    const changes = heard(rails)
    rails.setDraw(0, DRAW)
    rails.switchRail('12v', false)
    rails.setVoltageOffset('5v0', 100)
    rails.setDraw(0, undefined)
    expect(changes()).toBe(4)
    rails.setDraw(0, undefined)
    rails.switchRail('12v', false)
    rails.setVoltageOffset('5v0', 100)
    expect(changes()).toBe(4)
  })

  it('remember the fault of a voltage', () => {
    const rails = new Rails()
    expect(rails.voltageOffset('3v3')).toBe(0)
    rails.setVoltageOffset('3v3', -50)
    expect(rails.voltageOffset('3v3')).toBe(-50)
  })

  it('keep their own copy of a draw', () => {
    const rails = new Rails()
    const draw = { ...DRAW }
    rails.setDraw(0, draw)
    draw['12v'] = 999
    expect(rails.current('12v')).toBe(30)
  })
})
