import type { SlotwireError } from '@slotwire/core'
import { TLS_1_2_CIPHERS } from '@slotwire/edge'
import { ANY_ADDRESS, ANY_IPV4 } from '../network-interfaces.ts'
import { indented, quoted } from './config-text.ts'
import { bodyOf, proxyErrors } from './proxy-answers.ts'
import { AUTH_PATH, bracketed, INNER_PATHS, PROXY_SECONDS, type ProxyPlan, serviceAuthority } from './proxy-plan.ts'

/** Paths for what nginx asks and answers by itself; nobody outside can ask for them. */
const INTERNAL = '/.slotwire'

/** Refusals of nginx itself: its statuses, and what the client is told. */
const refusals: readonly (readonly [statuses: string, name: string, error: SlotwireError])[] = [
  ['400 421 495 496 501 505', '400', proxyErrors.malformed],
  ['497', '497', proxyErrors.plainAtTls],
  ['404', '404', proxyErrors.notFound],
  ['408', '408', proxyErrors.late],
  ['413', '413', proxyErrors.bodyTooLarge],
  ['414 431 494', '431', proxyErrors.headersTooLarge],
  ['502 503 504', '502', proxyErrors.answerLost],
]

/** A file for the `http` part of an nginx configuration: a server that does what the network door does. Throws `OperatorError`. */
export function nginxConfig(plan: ProxyPlan): string {
  const { headers, pause, connect, answer, idle } = PROXY_SECONDS
  const certificate = quoted(plan.certificateFile)
  const { machineId, tlsCa } = plan.paths
  return `${heading(plan)}

upstream slotwire {
    server ${serviceAuthority(plan)};
    keepalive 32;
    keepalive_timeout ${idle}s;
}

map $http_host $slotwire_host {
    "" $host;
    default $http_host;
}

${plan.accessLog === undefined ? '' : LOG_FORMAT}server {
    ${indented(4, listening(plan).join('\n'))}
    server_name _;
    server_tokens off;
    access_log ${plan.accessLog === undefined ? 'off' : `${quoted(plan.accessLog)} slotwire`};

    ssl_certificate ${certificate};
    ssl_certificate_key ${certificate};
    ssl_protocols TLSv1.2 TLSv1.3;
    ssl_ciphers ${TLS_1_2_CIPHERS.join(':')};
    ssl_prefer_server_ciphers off;
    ssl_session_cache shared:slotwire:1m;
    ssl_session_tickets off;

    # The service judges bodies and headers as a whole; what nginx would keep for a while goes on at once.
    client_max_body_size 0;
    large_client_header_buffers 4 16k;
    client_header_timeout ${headers}s;
    client_body_timeout ${pause}s;
    send_timeout ${pause}s;
    gzip off;
    proxy_request_buffering off;
    proxy_buffering off;
    proxy_connect_timeout ${connect}s;
    proxy_send_timeout ${pause}s;
    proxy_read_timeout ${answer}s;
    # Nothing is sent twice: it may have had an effect.
    proxy_next_upstream off;

    ${indented(4, aboutClient('$request_method'))}
    # Any text in it means read-only: that for the token, or that of a client that wants no more.
    proxy_set_header Slotwire-Access "$slotwire_access$http_slotwire_access";
    proxy_set_header X-Original-URI "";
    proxy_set_header X-Original-Method "";
    proxy_set_header Forwarded "";
    proxy_set_header X-Real-IP "";

    # What nginx refuses has the error body of the service; what the service answers is passed on as it is.
    recursive_error_pages on;
    ${refusals.map(([statuses, name, error]) => `error_page ${statuses} =${error.status} ${INTERNAL}/${name};`).join('\n    ')}
    error_page 405 ${INTERNAL}/405;
    error_page 401 403 429 ${INTERNAL}/refused;
    error_page 500 = ${INTERNAL}/500;

    location / {
        # Where it is refused, nginx takes it for a GET.
        set $slotwire_method $request_method;
        auth_request ${INTERNAL}/auth;
        auth_request_set $slotwire_access $upstream_http_slotwire_access;
        auth_request_set $slotwire_asked $upstream_status;
        auth_request_set $slotwire_token $upstream_http_slotwire_token;
        proxy_pass http://slotwire;
    }
    location = ${quoted(machineId)} {
        proxy_pass http://slotwire${machineId};
    }
    location = ${quoted(tlsCa)} {
        proxy_pass http://slotwire${tlsCa};
    }
    location ~ ^(?:${INNER_PATHS.join('|')})(?:/|$) {
        return 404;
    }

    location = ${INTERNAL}/auth {
        ${indented(8, QUESTION)}
        proxy_pass_request_body off;
        proxy_set_header Content-Length "";
    }
    # The same question again when it was refused, for the service's own words; the status stays the first.
    # A body goes along, to be dropped there: nginx would keep all of it first.
    location = ${INTERNAL}/refused {
        ${indented(8, QUESTION)}
        # nginx has it from the first answer.
        proxy_hide_header WWW-Authenticate;
    }

    ${indented(4, refusals.map(([, name, error]) => answering(name, say(error))).join('\n'))}
    ${indented(4, answering('405', 'add_header Allow "GET, HEAD, POST" always;', say(proxyErrors.methodRefused)))}
    # An answer to the question that is neither yes nor no.
    ${indented(4, answering('500', 'if ($slotwire_asked = 429) { return 429; }', `if ($slotwire_asked ~ ^5) { ${say(proxyErrors.unreachable)} }`, say(proxyErrors.internal)))}
}
`
}

const LOG_FORMAT = `# The name of the token; neither credentials, nor what stands behind a question mark.
map $request $slotwire_line {
    ~^([^?]*) $1;
}
log_format slotwire '$remote_addr "$slotwire_token" [$time_iso8601] "$slotwire_line" $status $body_bytes_sent $request_time';

`

function listening({ listen, httpsPort, httpPort }: ProxyPlan): readonly string[] {
  // `::` alone means IPv4 as well, as for the service.
  const all = listen.includes(ANY_IPV4) ? ' ipv6only=on' : ' ipv6only=off'
  const at = (address: string, port: number, kind: string): string =>
    `listen ${bracketed(address)}:${port}${kind} default_server${address === ANY_ADDRESS ? all : ''};`
  return [
    ...listen.map((address) => at(address, httpsPort, ' ssl')),
    ...(httpPort === undefined ? [] : listen.map((address) => at(address, httpPort, ''))),
  ]
}

/** Whatever a client says of itself is replaced. */
function aboutClient(method: string): string {
  return `proxy_http_version 1.1;
proxy_set_header Connection "";
proxy_set_header Host $slotwire_host;
proxy_set_header X-Forwarded-For $remote_addr;
proxy_set_header X-Forwarded-Proto $scheme;
proxy_set_header X-Forwarded-Host $slotwire_host;
proxy_set_header X-Forwarded-Method ${method};
proxy_set_header X-Forwarded-Uri $request_uri;
proxy_set_header X-Request-ID $request_id;`
}

/** Asked for each request. */
const QUESTION = `internal;
proxy_pass http://slotwire${AUTH_PATH};
proxy_method GET;
proxy_pass_request_headers off;
${aboutClient('$slotwire_method')}
proxy_set_header Authorization $http_authorization;
proxy_set_header Origin $http_origin;
proxy_set_header Referer $http_referer;
proxy_set_header Sec-Fetch-Site $http_sec_fetch_site;`

function answering(name: string, ...lines: readonly string[]): string {
  return `location = ${INTERNAL}/${name} {
    internal;
    default_type application/json;
    add_header Cache-Control no-store always;
    ${lines.join('\n    ')}
}`
}

function say(error: SlotwireError): string {
  return `return ${error.status} '${bodyOf(error)}';`
}

/** How the file gets where it works, as comments. */
function heading({ certificateFile, httpPort }: ProxyPlan): string {
  const step = '\n#    and remove the page that Debian puts at port 80: rm /etc/nginx/sites-enabled/default'
  return `# Slotwire behind nginx, as written by slotwire proxy-config nginx. Write it anew when settings, ports or paths change, and when a
# certificate was imported or an import undone.
#
# 1. Have the service believe what nginx says of its clients, and leave the network to nginx:
#      slotwire config set proxies 127.0.0.1
#      slotwire config set doors.listen off
# 2. Put this file into the http part of the configuration, as root:
#      slotwire proxy-config nginx --state <dir> > /etc/nginx/conf.d/slotwire.conf${httpPort === 80 ? step : ''}
# 3. nginx -t && systemctl reload nginx
#
# The key is in ${certificateFile}, which only the user of the service can read (0600). nginx starts as root
# and reads it then: it needs no right of its own. It reads it again when it is reloaded only, so have that done every day: the
# certificate is renewed weeks before it ends.
#      echo 'systemctl reload nginx' > /etc/cron.daily/slotwire-nginx && chmod +x /etc/cron.daily/slotwire-nginx
#
# Tokens stay with the service: nginx asks it for each request, and changes of tokens count at once.`
}
