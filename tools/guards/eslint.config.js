import { join } from 'node:path'
import markdown from '@eslint/markdown'
import { defineConfig } from 'eslint/config'
import tseslint from 'typescript-eslint'
import { plainWords } from './plain-words.js'

const CODE = ['**/*.{ts,tsx,mjs,js}']
/** A foreign text that we do not change. */
const SPECIFICATION = 'docs/reference/device-module-rest-interface.md'
const CLOCK = 'Take a Clock from @slotwire/core as an argument.'
const TIMERS = ['setTimeout', 'setInterval', 'setImmediate', 'performance']
const RANDOM = 'Take a Random from @slotwire/core as an argument.'

/**
 * Clock and random source are arguments; only core uses the real ones.
 * @type {import('eslint').Linter.RulesRecord}
 */
const seams = {
  'no-restricted-globals': ['error', ...TIMERS.map((name) => ({ name, message: CLOCK }))],
  'no-restricted-properties': [
    'error',
    ...TIMERS.map((property) => ({ object: 'globalThis', property, message: CLOCK })),
    { object: 'Date', property: 'now', message: CLOCK },
    { object: 'process', property: 'hrtime', message: CLOCK },
    { object: 'Math', property: 'random', message: RANDOM },
  ],
  'no-restricted-imports': [
    'error',
    {
      paths: [
        ...['node:timers', 'node:timers/promises', 'node:perf_hooks'].map((name) => ({ name, message: CLOCK })),
        { name: 'node:crypto', importNames: ['randomInt', 'randomBytes', 'randomUUID'], message: RANDOM },
      ],
    },
  ],
}

/** Code that reads the clock without a restricted name, and tests that would not run. */
const syntax = [
  { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: CLOCK },
  { selector: "CallExpression[callee.name='Date']", message: CLOCK },
  {
    selector:
      'CallExpression > MemberExpression.callee[object.name=/^(describe|it|test)$/][property.name=/^(only|skip|todo|fails|skipIf|runIf)$/]',
    message: 'Every test must run. Use describeWith (tools/setup) for one that needs a system program.',
  },
  { selector: 'TSEnumDeclaration', message: 'Use a constant object and a union of its values.' },
]

export default defineConfig(
  { ignores: ['**/dist/', '**/node_modules/', SPECIFICATION, 'tools/fixtures/*.mjs', 'tools/guards/', '**/*.cjs'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  { plugins: { 'plain-words': plainWords }, rules: { 'plain-words/words': 'error' } },
  { files: ['**/*.md'], plugins: { markdown }, language: 'markdown/gfm' },
  { files: CODE, extends: [tseslint.configs.strictTypeChecked] },
  {
    files: CODE,
    languageOptions: {
      parserOptions: {
        project: ['./tsconfig.json', './apps/console/tsconfig.json', './apps/console/tsconfig.tests.json'],
        tsconfigRootDir: join(import.meta.dirname, '../..'),
      },
    },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/return-await': ['error', 'in-try-catch'],
      '@typescript-eslint/prefer-readonly': 'error',
      '@typescript-eslint/no-shadow': 'error',
      // Numbers in texts are readable.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      // Types are compared by structure: tests replace a class with an object.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      // A matter of taste.
      '@typescript-eslint/no-confusing-void-expression': 'off',
      '@typescript-eslint/no-unnecessary-type-arguments': 'off',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
      ],
      // An interface may require a promise although an implementation has the value immediately.
      '@typescript-eslint/require-await': 'off',
      // The compiler does not see state that changes during a wait or callback, nor arguments from JavaScript callers.
      '@typescript-eslint/no-unnecessary-condition': 'off',
      // A command without data has the value {}, a field without a value has void.
      '@typescript-eslint/no-generated-empty-object-type': 'off',
      '@typescript-eslint/no-empty-object-type': 'off',
      '@typescript-eslint/no-invalid-void-type': 'off',
      // A type parameter that occurs once can still be what callers write.
      '@typescript-eslint/no-unnecessary-type-parameters': 'off',
      'plain-words/titles': 'error',
      eqeqeq: 'error',
      'no-console': 'error',
      'no-empty': ['error', { allowEmptyCatch: false }],
      'no-warning-comments': ['error', { terms: ['todo', 'fixme', 'xxx'] }],
      ...seams,
      'no-restricted-syntax': ['error', ...syntax],
    },
  },
  {
    // Core itself, and programs that measure real time or choose seeds.
    files: ['packages/core/src/**', 'benchmarks/**', 'tools/*.mjs', 'tools/setup/run.mjs', 'tools/build/watch.mjs'],
    rules: { 'no-restricted-globals': 'off', 'no-restricted-properties': 'off', 'no-restricted-imports': 'off' },
  },
  {
    // A browser has no Clock; it measures the time of a request.
    files: ['packages/service/src/docs/*.js'],
    rules: { 'no-restricted-globals': 'off' },
  },
  {
    // These rules do not see the casts in JSDoc.
    files: ['**/*.mjs', 'packages/service/src/docs/*.js'],
    rules: { '@typescript-eslint/no-unsafe-assignment': 'off', '@typescript-eslint/no-unsafe-argument': 'off' },
  },
  { files: ['tools/setup/describe-with.mjs'], rules: { 'no-restricted-syntax': 'off' } },
  {
    // Programs as users write them.
    files: ['examples/client/**'],
    rules: Object.fromEntries([...Object.keys(seams), 'no-restricted-syntax', 'no-console'].map((rule) => [rule, 'off'])),
  },
)
