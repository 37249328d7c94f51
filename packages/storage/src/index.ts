export { codeOf, DurableFile } from './durable-file.ts'
