import type { SlotwireError } from '@slotwire/core'
import { TLS_1_2_CIPHERS } from '@slotwire/edge'
import { ANY_ADDRESS, ANY_IPV4 } from '../network-interfaces.ts'
import { bodyOf, proxyErrors } from './proxy-answers.ts'
import { AUTH_PATH, bracketed, INNER_PATHS, PROXY_SECONDS, type ProxyPlan, quoted, serviceAuthority } from './proxy-plan.ts'

/** Internal locations of nginx; clients cannot request them. */
const INTERNAL = '/.slotwire'

/** Errors of nginx itself: its statuses, and the error sent to the client. */
const nginxErrors: readonly (readonly [statuses: string, name: string, error: SlotwireError])[] = [
  ['400 421 495 496 501 505', '400', proxyErrors.malformed],
  ['497', '497', proxyErrors.plainAtTls],
  ['404', '404', proxyErrors.notFound],
  ['408', '408', proxyErrors.late],
  ['413', '413', proxyErrors.bodyTooLarge],
  ['414 431 494', '431', proxyErrors.headersTooLarge],
  ['502 503 504', '502', proxyErrors.answerLost],
]

/** A file for the `http` part of an nginx configuration: a server with the same rules as the network door. Throws `OperatorError`. */
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

    # The service checks bodies and headers; nginx passes data on at once.
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
    # Never repeat a request: it may have had an effect.
    proxy_next_upstream off;

    ${indented(4, clientHeaders('$request_method'))}
    # Any text means read-only: set for the token, or requested by the client.
    proxy_set_header Slotwire-Access "$slotwire_access$http_slotwire_access";
    proxy_set_header X-Original-URI "";
    proxy_set_header X-Original-Method "";
    proxy_set_header Forwarded "";
    proxy_set_header X-Real-IP "";

    # Errors of nginx get the service's error body; responses of the service are passed on unchanged.
    recursive_error_pages on;
    ${nginxErrors.map(([statuses, name, error]) => `error_page ${statuses} =${error.status} ${INTERNAL}/${name};`).join('\n    ')}
    error_page 405 ${INTERNAL}/405;
    error_page 401 403 429 ${INTERNAL}/refused;
    error_page 500 = ${INTERNAL}/500;

    location / {
        # After a refusal nginx reports the method as GET.
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
        ${indented(8, AUTH_REQUEST)}
        proxy_pass_request_body off;
        proxy_set_header Content-Length "";
    }
    # After a refusal, repeat the authorization request to get the service's error body; the first status is kept.
    # Pass the request body on, to be dropped there: nginx would buffer all of it first.
    location = ${INTERNAL}/refused {
        ${indented(8, AUTH_REQUEST)}
        # nginx already has it from the first response.
        proxy_hide_header WWW-Authenticate;
    }

    ${indented(4, nginxErrors.map(([, name, error]) => errorLocation(name, returnError(error))).join('\n'))}
    ${indented(4, errorLocation('405', 'add_header Allow "GET, HEAD, POST" always;', returnError(proxyErrors.methodRefused)))}
    # The authorization request got neither a grant nor a refusal.
    ${indented(4, errorLocation('500', 'if ($slotwire_asked = 429) { return 429; }', `if ($slotwire_asked ~ ^5) { ${returnError(proxyErrors.unreachable)} }`, returnError(proxyErrors.internal)))}
}
`
}

const LOG_FORMAT = `# Logs the name of the token, but neither credentials nor the query.
map $request $slotwire_line {
    ~^([^?]*) $1;
}
log_format slotwire '$remote_addr "$slotwire_token" [$time_iso8601] "$slotwire_line" $status $body_bytes_sent $request_time';

`

function listening({ listen, httpsPort, httpPort }: ProxyPlan): readonly string[] {
  // `::` alone includes IPv4, as for the service.
  const all = listen.includes(ANY_IPV4) ? ' ipv6only=on' : ' ipv6only=off'
  const at = (address: string, port: number, kind: string): string =>
    `listen ${bracketed(address)}:${port}${kind} default_server${address === ANY_ADDRESS ? all : ''};`
  return [
    ...listen.map((address) => at(address, httpsPort, ' ssl')),
    ...(httpPort === undefined ? [] : listen.map((address) => at(address, httpPort, ''))),
  ]
}

/** Replaces all headers with which a client could describe itself. */
function clientHeaders(method: string): string {
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

/** The authorization request for each request. */
const AUTH_REQUEST = `internal;
proxy_pass http://slotwire${AUTH_PATH};
proxy_method GET;
proxy_pass_request_headers off;
${clientHeaders('$slotwire_method')}
proxy_set_header Accept $http_accept;
proxy_set_header Authorization $http_authorization;
proxy_set_header Origin $http_origin;
proxy_set_header Referer $http_referer;
proxy_set_header Sec-Fetch-Site $http_sec_fetch_site;`

function errorLocation(name: string, ...lines: readonly string[]): string {
  return `location = ${INTERNAL}/${name} {
    internal;
    default_type application/json;
    add_header Cache-Control no-store always;
    add_header Slotwire-Error $slotwire_error always;
    ${lines.join('\n    ')}
}`
}

function returnError(error: SlotwireError): string {
  return `set $slotwire_error ${error.code}; return ${error.status} '${bodyOf(error).replace('\n', '\\n')}';`
}

/** Instructions at the head of the file, as comments. */
function heading({ certificateFile, httpPort }: ProxyPlan): string {
  const step = '\n#    and remove the default page of Debian on port 80: rm /etc/nginx/sites-enabled/default'
  return `# Slotwire behind nginx, written by slotwire proxy-config nginx. Write it again when settings, ports or paths change, and when a
# certificate is imported or an import is undone.
#
# 1. Let the service trust the client addresses that nginx reports, and let nginx serve the network:
#      slotwire config set proxies 127.0.0.1
#      slotwire config set doors.listen off
# 2. As root, put this file into the http part of the configuration:
#      slotwire proxy-config nginx --state <dir> > /etc/nginx/conf.d/slotwire.conf${httpPort === 80 ? step : ''}
# 3. nginx -t && systemctl reload nginx
#
# The key is in ${certificateFile}, which only the user of the service can read (0600). nginx starts as root
# and reads it then, so it needs no other permission. It reads it again only when it is reloaded, so reload it every day: the
# certificate is renewed weeks before it ends.
#      echo 'systemctl reload nginx' > /etc/cron.daily/slotwire-nginx && chmod +x /etc/cron.daily/slotwire-nginx
#
# The service checks tokens: nginx asks it about each request, so that changes of tokens take effect at once.`
}

/** Indents all lines but the first by so many spaces. */
function indented(spaces: number, text: string): string {
  return text.replaceAll('\n', `\n${' '.repeat(spaces)}`)
}
