export { caddyConfig } from './caddy.ts'
export { nginxConfig } from './nginx.ts'
export type { ProxyPlan } from './proxy-plan.ts'
