import { formatVersion } from '@slotwire/core'
import { SLOT_STATES, type SlotInventory, type SlotStatistics } from '@slotwire/driver'
import { histogramSamples, type MetricFamily, type Sample } from './metric.ts'

type Statistics = Readonly<SlotStatistics>

/** Metrics of every slot that ever had a module: state, module and bus statistics. */
export function slotFamilies(inventory: readonly SlotInventory[]): MetricFamily[] {
  const counter = (name: string, help: string, valueOf: (statistics: Statistics) => number): MetricFamily => ({
    name,
    help,
    type: 'counter',
    samples: inventory.map(({ slot, statistics }) => ({ labels: { slot }, value: valueOf(statistics) })),
  })
  return [
    {
      name: 'slotwire_slot_state',
      help: 'State of each slot: 1 for the present state, 0 for all others.',
      type: 'gauge',
      samples: inventory.flatMap(({ slot, state }) =>
        SLOT_STATES.map((possible) => ({ labels: { slot, state: possible }, value: possible === state ? 1 : 0 })),
      ),
    },
    {
      name: 'slotwire_module_info',
      help: 'Always 1: the module in a slot.',
      type: 'gauge',
      samples: inventory.flatMap(moduleInfo),
    },
    {
      name: 'slotwire_slot_queue_length',
      help: 'Requests that wait for the module, without the one in progress.',
      type: 'gauge',
      samples: inventory.map(({ slot, waitingJobs }) => ({ labels: { slot }, value: waitingJobs })),
    },
    counter(
      'slotwire_slot_queue_refusals_total',
      'Requests that were refused with 503 because too many waited for the module.',
      ({ refusedJobs }) => refusedJobs,
    ),
    counter(
      'slotwire_slot_sessions_total',
      'Device sessions started: the module came up, or may have lost its state.',
      ({ sessions }) => sessions,
    ),
    counter('slotwire_slot_notifications_total', 'Notifications from the module.', ({ notifications }) => notifications),
    counter('slotwire_slot_heartbeats_total', 'Heartbeats that the module acknowledged.', ({ heartbeats }) => heartbeats),
    counter(
      'slotwire_slot_heartbeat_failures_total',
      'Heartbeats that the module did not acknowledge.',
      ({ failedHeartbeats }) => failedHeartbeats,
    ),
    counter(
      'slotwire_bus_transactions_total',
      'Exchanges started with the module, including heartbeats and retries.',
      ({ transactions }) => transactions,
    ),
    {
      name: 'slotwire_bus_transaction_failures_total',
      help: 'Exchanges with the module that failed, by reason.',
      type: 'counter',
      samples: inventory.flatMap(({ slot, statistics }) =>
        Object.entries(statistics.failures).map(([reason, value]) => ({ labels: { slot, reason }, value })),
      ),
    },
    counter('slotwire_bus_retries_total', 'Exchanges that repeated a failed one.', ({ retries }) => retries),
    {
      name: 'slotwire_bus_exchange_duration_seconds',
      help: 'Duration of exchanges with the module.',
      type: 'histogram',
      samples: inventory.flatMap(({ slot, statistics }) => histogramSamples(statistics.exchanges, { slot })),
    },
  ]
}

function moduleInfo({ slot, descriptor }: SlotInventory): Sample[] {
  if (descriptor === undefined) return []
  const { vendorProductId, firmware } = descriptor
  const labels = {
    slot,
    vendor_product_id: vendorProductId,
    firmware_version: formatVersion(firmware.version),
    firmware_stability: firmware.stability,
  }
  return [{ labels, value: 1 }]
}
