import { testExamplesOf } from './page-examples.testkit.ts'

testExamplesOf('docs/guide/first-steps.md')
