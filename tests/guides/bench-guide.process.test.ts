import { testExamplesOf } from './page-examples.testkit.ts'

testExamplesOf('docs/guide/bench.md')
