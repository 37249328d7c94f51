import { counters } from './checks/steps.ts'
import { accepts, answers, field, GET, ignores, post, type Row, requests, type Seen, stateful } from './fault.testkit.ts'
import type { answerOf } from './wire.ts'

/** Counters that do not count, or count too early. The sum stays right. */
const protection: readonly Row[] = counters.flatMap((name): Row[] => {
  const shifted = (body: Record<string, unknown>, by: number) => ({
    ...body,
    [name]: Number(body[name]) + by,
    opp_protection_cnt: Number(body['opp_protection_cnt']) + by,
  })
  let reads = 0
  return [
    [
      `${name} never counts`,
      [`protections/${name}-beyond`],
      answers(`${GET}power:protectionlog`, (body) => shifted(body, -Number(body[name]))),
    ],
    [
      `${name} counts without an event`,
      [`protections/${name}-inside`, 'protections/factory'],
      answers(`${GET}power:protectionlog`, (body) => shifted(body, ++reads)),
    ],
  ]
})

const isNoCache = ({ headers }: Seen) => headers['cache-control'] === 'no-cache'
const inputs = ['input/values', 'input/values/current'] as const
const caching: readonly Row[] = inputs.flatMap((path): Row[] => {
  const check = `cache/${path}`
  return [
    [
      `${path} is never cached`,
      [check],
      requests(
        (request) => request.name === `io:${path}` && !isNoCache(request),
        ({ headers }) => ({ headers: { ...headers, 'cache-control': 'no-cache' } }),
      ),
    ],
    [
      `${path} ignores no-cache`,
      [check],
      requests(
        (request) => request.name === `io:${path}` && isNoCache(request),
        ({ headers: { 'cache-control': _, ...headers } }) => ({ headers }),
      ),
    ],
    [
      `${path} is cached permanently`,
      [check],
      stateful(GET + `io:${path}`, () => {
        let kept: ReturnType<typeof answerOf> | undefined
        return async (request, send) => (isNoCache(request) ? send(request) : (kept ??= await send(request)))
      }),
    ],
  ]
})

const events: readonly Row[] = [
  [
    'custom_voltage_alert never comes',
    ['threshold-events/*', 'interrupt-events/*', 'debounce/*', 'stored-once/*'],
    field((request) => /notification/.test(request.name), 'custom_voltage_alert', false),
  ],
  [
    'custom_voltage_alert always comes',
    ['threshold-events/*', 'interrupt-events/*', 'debounce/*', 'stored-once/*'],
    field((request) => /notification/.test(request.name), 'custom_voltage_alert', true),
  ],
  ...(['under_voltage', 'high_voltage', 'high_current'] as const).flatMap((name): Row[] => [
    [
      `${name}_alert never comes`,
      [`alerts/${name}_alert`],
      field((request) => /notification/.test(request.name), `${name}_alert`, false),
    ],
    [
      `${name}_alert is missing`,
      ['notification-fields/*', 'alerts/*', 'flags/*'],
      field((request) => /notification/.test(request.name), `${name}_alert`, undefined),
    ],
  ]),
  [
    'every alert is high_current_alert, too',
    ['flags/*'],
    answers(
      (request) => /notification/.test(request.name),
      (body) => ({ ...body, high_current_alert: body['high_current_alert'] || body['custom_voltage_alert'] }),
    ),
  ],
  [
    'debounce is ignored',
    ['debounce/*'],
    requests(
      post('io:input/digital/interrupt', (json) => json['debounce_time_milliseconds'] === 1000),
      ({ json }) => ({ body: JSON.stringify({ ...json, debounce_time_milliseconds: 0 }) }),
    ),
  ],
  ...(['rising', 'falling'] as const).flatMap((trigger): Row[] =>
    (['input/analog/threshold', 'input/digital/interrupt'] as const).map(
      (path): Row => [
        `${path} confuses ${trigger} with the other edge`,
        [
          path.includes('analog') ? 'threshold-events/*' : 'interrupt-events/*',
          'debounce/*',
          'stored-once/*',
          'custom-stays/*',
          'flags/*',
        ],
        requests(
          post(`io:${path}`, (json) => json['trigger'] === trigger && typeof json['pin'] === 'number'),
          ({ json }) => ({ body: JSON.stringify({ ...json, trigger: trigger === 'rising' ? 'falling' : 'rising' }) }),
        ),
      ],
    ),
  ),
  [
    'a trigger is never disabled',
    ['threshold-events/disabled', 'interrupt-events/disabled'],
    requests(
      (request) => /threshold|interrupt/.test(request.name) && request.json['trigger'] === 'disabled',
      ({ json }) => ({ body: JSON.stringify({ ...json, trigger: 'rising' }) }),
    ),
  ],
]

const pins: readonly Row[] = [
  [
    'the pins are in another order',
    ['pins/input/values'],
    answers(`${GET}io:input/values`, (body) => ({ ...body, pins: [...(body['pins'] as unknown[])].reverse() })),
  ],
  [
    'a pin is missing',
    ['pins/input/values/current', 'current/modes'],
    answers(`${GET}io:input/values/current`, (body) => ({ ...body, pins: (body['pins'] as unknown[]).slice(0, 5) })),
  ],
  [
    'currents have another type',
    ['get/io/input/values/current/fields'],
    field(`${GET}io:input/values/current`, 'pins.*.pin_type', 'milliampere'),
  ],
  [
    'counters show digital_input',
    ['counter-mode/reads'],
    field(`${GET}io:input/values`, 'pins.*.pin_type', (type: unknown) => (type === 'frequency_hertz' ? 'digital_input' : type)),
  ],
  [
    'a digital input shows millivolt',
    ['digital-value/*', 'digital-level/*'],
    answers(`${GET}io:input/values`, (body) => ({
      ...body,
      pins: (body['pins'] as Record<string, unknown>[]).map((one) =>
        one['pin_type'] === 'digital_input' ? { ...one, value: Number(one['value']) * 5000 + 2 } : one,
      ),
    })),
  ],
  [
    'reset leaves digital pins',
    ['reset-module/io', 'default-analog/*', 'mode-digital/*', 'needs-power/*', 'output/reset'],
    ignores(post('io:reset', (json) => json['reset'] === 'yes')),
  ],
  [
    'input/mode analog does nothing',
    ['mode-analog/*', 'threshold-*', 'mode-first/*', 'output/input', 'post/io/input/analog/threshold/*', 'ok/*'],
    ignores(
      post(
        'io:input/mode',
        (json) => json['mode'] === 'analog' && typeof json['pin'] === 'number' && json['pin'] <= 6 && json['pin'] > 0,
      ),
    ),
  ],
  [
    'output/state high does nothing',
    [
      'output/*',
      'digital-level/*',
      'pwm/*',
      'threshold-events/*',
      'interrupt-events/*',
      'debounce/*',
      'stored-once/*',
      'custom-stays/*',
      'flags/*',
      'needs-power/*',
      'alerts/*',
      'cache/*',
      'post/io/output/state/*',
      'ok/*',
    ],
    ignores(post('io:output/state', (json) => json['state'] === 'high' && Number(json['pin']) < 7)),
  ],
  [
    'output/state needs no power',
    ['needs-power/state'],
    accepts(post('io:output/state', (json) => json['state'] === 'low' && json['pin'] === 1)),
  ],
  [
    'pwm is twice as fast',
    ['pwm/counter'],
    requests(
      post('io:output/pwm', (json) => json['time_on'] === 300),
      ({ json }) => ({ body: JSON.stringify({ ...json, prescaler: Math.floor(Number(json['prescaler']) / 2) }) }),
    ),
  ],
  [
    'pwm of 1 MHz is accepted',
    ['pwm-frequency/edge-above'],
    accepts(post('io:output/pwm', (json) => json['prescaler'] === 0 && json['period'] === 48)),
  ],
  [
    'pwm forgets that the prescaler counts from 0',
    ['pwm-frequency/edge-above'],
    accepts(post('io:output/pwm', (json) => json['prescaler'] === 1 && json['period'] === 24)),
  ],
  [
    'a threshold of a digital pin is accepted',
    ['mode-first/threshold'],
    accepts(
      post(
        'io:input/analog/threshold',
        (json) => json['trigger'] === 'rising' && json['threshold_millivolt'] === 1000 && json['pin'] === 6,
      ),
    ),
  ],
  ['power-management has no too_much_power', ['power-reply/*'], field(post('io:power-management'), 'too_much_power', undefined)],
  [
    'power-management accepts five items',
    ['post/io/power-management/*'],
    accepts(post('io:power-management', (json) => Array.isArray(json['config']) && json['config'].length === 5)),
  ],
]

export const pinFaults: readonly Row[] = [...protection, ...caching, ...events, ...pins]
