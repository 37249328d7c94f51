export { caddyConfig, nginxConfig, type ProxyPlan } from './proxy-config.ts'
