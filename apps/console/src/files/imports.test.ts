import { describe, expect, it } from 'vitest'
import { moduleImports, stylesheetImports } from './imports.ts'

describe('the imports of a module', () => {
  it.each([
    ["import 'a'", ['a']],
    ["import a from 'b'", ['b']],
    ['import { a } from \'./b.js\'\nimport * as c from "../d.js"', ['./b.js', '../d.js']],
    ["import {\n  a,\n  b as c,\n} from 'd'", ['d']],
    ["import a, { b } from 'c'", ['c']],
    ["export { a } from 'b'\nexport * from 'c'\nexport * as d from 'e'", ['b', 'c', 'e']],
    ['import{a as b}from"c";import{d}from"e";export*from"f";var g=1', ['c', 'e', 'f']],
    ['var a=1;export{a as b};export default a', []],
    ["export const a = 'b'\nexport function from() {}\nexport { a as 'from' }", []],
    ["/** import 'a' */\n// import 'b'\n/*\nimport 'c'\n*/\nimport 'd'", ['d']],
    ["const text = 'x'\nconst list = { from: 'a' }\nimportant('b')", []],
    ["import 'a'\nimport 'a'", ['a']],
  ])('are found in %j: %j', (text, names) => {
    expect(moduleImports(text)).toEqual({ now: names, later: [] })
  })

  it.each([
    ["const a = await import('./b.js')", ['./b.js']],
    ['lazy(()=>import("./c.js").then((d)=>d.e))', ['./c.js']],
    ["// import('./a.js')", []],
    ['import(name)', []],
    ['import.meta.url', []],
  ])('are loaded later by a call: %j', (text, names) => {
    expect(moduleImports(text)).toEqual({ now: [], later: names })
  })
})

describe('the imports of a stylesheet', () => {
  it.each([
    ["@import './a.css';", ['./a.css']],
    ['@import url("./a.css") screen;@import "./b.css";', ['./a.css', './b.css']],
    ['p { content: "@" }', []],
  ])('are found in %j: %j', (text, names) => {
    expect(stylesheetImports(text).now).toEqual(names)
  })
})
