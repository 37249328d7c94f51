import { describe, expect, it } from 'vitest'
import { Rails } from './rails.ts'

const DRAW = { '3v3': 10, '5v0': 20, '12v': 30 }

function countChanges(rails: Rails) {
  let changes = 0
  rails.onChange(() => changes++)
  return () => changes
}

describe('Rails', () => {
  it('adds up the current of the slots', () => {
    const rails = new Rails()
    rails.setDraw(0, DRAW)
    rails.setDraw(3, DRAW)
    rails.setDraw(3, { ...DRAW, '12v': 100 })
    expect([rails.current('3v3'), rails.current('5v0'), rails.current('12v')]).toEqual([20, 40, 130])
    rails.setDraw(0, undefined)
    expect(rails.current('12v')).toBe(100)
  })

  it('carries no current while a rail is off', () => {
    const rails = new Rails()
    rails.setDraw(0, DRAW)
    rails.switchRail('12v', false)
    expect([rails.isOn('12v'), rails.current('12v'), rails.current('5v0')]).toEqual([false, 0, 20])
    rails.switchRail('12v', true)
    expect(rails.current('12v')).toBe(30)
  })

  it('replaces the load beside the slots', () => {
    const rails = new Rails()
    rails.setDraw(0, DRAW)
    rails.setLoad('5v0', 500)
    rails.setLoad('5v0', 300)
    expect([rails.load('5v0'), rails.current('5v0'), rails.load('12v'), rails.current('12v')]).toEqual([300, 320, 0, 30])
    rails.switchRail('5v0', false)
    expect([rails.load('5v0'), rails.current('5v0')]).toEqual([300, 0])
  })

  it('is off without the supply of the device, and restores the switches with it', () => {
    const rails = new Rails()
    rails.setDraw(0, DRAW)
    rails.switchRail('12v', false)
    rails.supplied = false
    expect([rails.isOn('3v3'), rails.current('3v3'), rails.isOn('12v')]).toEqual([false, 0, false])
    rails.supplied = true
    expect([rails.isOn('3v3'), rails.current('3v3'), rails.isOn('12v')]).toEqual([true, 10, false])
  })

  it('notifies listeners of changes only', () => {
    const rails = new Rails()
    const changes = countChanges(rails)
    rails.setDraw(0, DRAW)
    rails.switchRail('12v', false)
    rails.setVoltageOffset('5v0', 100)
    rails.setDraw(0, undefined)
    expect(changes()).toBe(4)
    rails.setLoad('3v3', 5)
    rails.supplied = false
    expect(changes()).toBe(6)
    rails.setLoad('3v3', 5)
    rails.supplied = false
    rails.setDraw(0, undefined)
    rails.switchRail('12v', false)
    rails.setVoltageOffset('5v0', 100)
    expect(changes()).toBe(6)
  })

  it('stores the voltage offset of a fault', () => {
    const rails = new Rails()
    expect(rails.voltageOffset('3v3')).toBe(0)
    rails.setVoltageOffset('3v3', -50)
    expect(rails.voltageOffset('3v3')).toBe(-50)
  })

  it('keeps its own copy of a draw', () => {
    const rails = new Rails()
    const draw = { ...DRAW }
    rails.setDraw(0, draw)
    draw['12v'] = 999
    expect(rails.current('12v')).toBe(30)
  })
})
