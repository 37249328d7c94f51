import type { SlotwireError } from '@slotwire/core'
import { TLS_1_2_CIPHERS } from '@slotwire/edge'
import { ANY_ADDRESS, ANY_IPV4 } from '../network-interfaces.ts'
import { bodyOf, proxyErrors } from './proxy-answers.ts'
import {
  AUTH_PATH,
  bracketed,
  EVENTS_PATH,
  INNER_PATHS,
  PROXY_SECONDS,
  type ProxyPlan,
  quoted,
  serviceAuthority,
} from './proxy-plan.ts'

/** A Caddyfile with the same rules as the network door. Throws `OperatorError`. */
export function caddyConfig(plan: ProxyPlan): string {
  const { httpsPort, httpPort, listen } = plan
  // At `::` Go also listens on IPv4, and cannot share the port with another listener.
  const addresses = listen.includes(ANY_ADDRESS) ? listen.filter((address) => address !== ANY_IPV4) : listen
  const bind = `bind ${addresses.map(bracketed).join(' ')}`
  const sites = [
    ...block(`https://:${httpsPort}`, [bind, ...tls(plan), 'import slotwire']),
    ...(httpPort === undefined ? [] : ['', ...block(`http://:${httpPort}`, [bind, 'import slotwire'])]),
  ]
  return [caddyHeading(plan), ...block('', options()), '', ...block('(slotwire)', handling(plan)), '', ...sites, ''].join('\n')
}

function block(name: string, lines: readonly string[]): string[] {
  return [name === '' ? '{' : `${name} {`, ...lines.map((line) => `\t${line}`), '}']
}

function options(): string[] {
  const { headers, pause, idle } = PROXY_SECONDS
  return [
    'admin off',
    'auto_https off',
    ...block('servers', [
      'protocols h1',
      'max_header_size 16384',
      ...block('timeouts', [`read_header ${headers}s`, `read_body ${pause}s`, `idle ${idle}s`]),
    ]),
  ]
}

/** IANA's names of the same ciphers. */
function tls({ certificateFile }: ProxyPlan): string[] {
  const ciphers = TLS_1_2_CIPHERS.map((name) => {
    const [, keys = '', signature = '', ...cipher] = /^(ECDHE)-(ECDSA|RSA)-(.*)$/.exec(name) ?? []
    const [rest = ''] = cipher
    const written =
      rest === 'CHACHA20-POLY1305' ? 'CHACHA20_POLY1305_SHA256' : rest.replace(/^AES(\d+)/, 'AES_$1').replaceAll('-', '_')
    return `TLS_${keys}_${signature}_WITH_${written}`
  })
  const file = quoted(certificateFile)
  return block(`tls ${file} ${file}`, ['protocols tls1.2 tls1.3', `ciphers ${ciphers.join(' ')}`])
}

function handling(plan: ProxyPlan): string[] {
  const { paths } = plan
  const inner = INNER_PATHS.flatMap((path) => [path, `${path}/*`]).join(' ')
  return [
    ...(plan.accessLog === undefined ? [] : log(plan.accessLog)),
    `@inner path ${inner}`,
    ...block('handle @inner', ['error 404']),
    ...[paths.machineId, paths.tlsCa].flatMap((path) => block(`handle ${path}`, [`rewrite * ${path}`, ...toService(plan)])),
    ...block(`handle ${EVENTS_PATH}`, [...authorization(plan), ...toService(plan, [])]),
    ...block('handle', [...authorization(plan), ...toService(plan)]),
    ...block('handle_errors', errors()),
  ]
}

/** Logs neither headers nor queries: both may contain a token. */
function log(file: string): string[] {
  const fields = ['request>headers delete', 'request>uri regexp [?].* ""', 'resp_headers delete']
  return block('log', [`output file ${quoted(file)}`, ...block('format filter', ['wrap json', ...block('fields', fields)])])
}

/** Sends an authorization request for each request; a refusal goes to the client unchanged. */
function authorization(plan: ProxyPlan): string[] {
  const granted = (name: string, ...conditions: string[]): string[] => block(`@${name}`, ['status 2xx', ...conditions])
  return [
    'request_header -X-Original-URI',
    'request_header -X-Original-Method',
    ...block(`reverse_proxy ${serviceAuthority(plan)}`, [
      'method GET',
      `rewrite ${AUTH_PATH}`,
      'header_up X-Forwarded-Method {method}',
      'header_up X-Forwarded-Uri {uri}',
      ...granted('reading', `header Slotwire-Access *`),
      ...block('handle_response @reading', ['vars asked yes', 'request_header Slotwire-Access read-only']),
      ...granted('all'),
      ...block('handle_response @all', ['vars asked yes']),
      ...transport(),
    ]),
  ]
}

/**
 * Passes data on at once, and finishes a request although its client has gone: it may have an effect. An event stream has none, and Caddy
 * passes it on at once by its content type.
 */
function toService(plan: ProxyPlan, flush: readonly string[] = ['flush_interval -1']): string[] {
  return [
    'request_header -Forwarded',
    ...block(`reverse_proxy ${serviceAuthority(plan)}`, ['header_up -Expect', ...flush, ...transport()]),
  ]
}

function transport(): string[] {
  const { connect, answer, idle } = PROXY_SECONDS
  return block('transport http', [
    'versions 1.1',
    `dial_timeout ${connect}s`,
    `response_header_timeout ${answer}s`,
    `keepalive ${idle}s`,
    'compression off',
  ])
}

function errors(): string[] {
  const statuses = '{err.status_code}'
  const respond = (error: SlotwireError): string[] => [
    `header Slotwire-Error ${error.code}`,
    `respond \`${bodyOf(error)}\` ${error.status}`,
  ]
  const answers: readonly (readonly [name: string, condition: string, error: SlotwireError])[] = [
    ['lost', `${statuses} in [502, 503, 504] && {vars.asked} == "yes"`, proxyErrors.answerLost],
    ['unreachable', `${statuses} in [502, 503, 504]`, proxyErrors.unreachable],
    ['unknown', `${statuses} == 404`, proxyErrors.notFound],
    ['malformed', `${statuses} in [400, 405, 411, 501]`, proxyErrors.malformed],
  ]
  return [
    'header Content-Type application/json',
    'header Cache-Control no-store',
    ...answers.flatMap(([name, condition, error]) => [
      `@${name} expression \`${condition}\``,
      ...block(`handle @${name}`, respond(error)),
    ]),
    ...block('handle', respond(proxyErrors.internal)),
  ]
}

/** Instructions at the head of the file, as comments. */
function caddyHeading({ certificateFile }: ProxyPlan): string {
  return `# Slotwire behind Caddy, written by slotwire proxy-config caddy. Write it again when settings, ports or paths change, and when a
# certificate is imported or an import is undone.
#
# 1. Let the service trust the client addresses that Caddy reports, and let Caddy serve the network:
#      slotwire config set proxies 127.0.0.1
#      slotwire config set doors.listen off
# 2. As root, make this file Caddy's configuration:
#      slotwire proxy-config caddy --state <dir> > /etc/caddy/Caddyfile
# 3. Run Caddy as the user of the service, with systemctl edit caddy:
#      [Service]
#      User=<user of the service>
#      Group=<group of the service>
#    The key is in ${certificateFile}, which only that user can read (0600).
# 4. systemctl restart caddy
#
# Caddy reads the key only at its start, so restart it every week: the certificate is renewed weeks before it ends.
#      echo 'systemctl restart caddy' > /etc/cron.weekly/slotwire-caddy && chmod +x /etc/cron.weekly/slotwire-caddy
#
# The service checks tokens: Caddy asks it about each request, so that changes of tokens take effect at once.`
}
