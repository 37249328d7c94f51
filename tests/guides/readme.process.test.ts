import { testExamplesOf } from './page-examples.testkit.ts'

testExamplesOf('README.md')
