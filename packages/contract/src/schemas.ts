import { choice, integer, listOf, literal, named, objectOf, text, unsigned } from './fields.ts'

/** `Version` of the specification, "Resources and their fields". */
export const versionSchema = named('Version', objectOf({ major: unsigned(), minor: unsigned(), patch: unsigned() }))

/** A session identifier; spec "Version and device list". */
const sessionSchema = named('Session', text())

/** Spec "Generic success body". */
export const successSchema = named('Success', objectOf({ status: literal('success') }))

/** Spec "Errors", rule 3. */
export const errorSchema = named(
  'Error',
  objectOf({
    status: literal('error'),
    code: integer({ description: 'equals the HTTP status code' }),
    message: text({ description: 'human-readable text; must not be parsed' }),
  }),
)

/** Spec "Version and device list". */
export const versionAndDevicesSchema = named(
  'VersionAndDevices',
  objectOf({
    driver_session: {
      ...sessionSchema,
      description: 'session identifier of the driver: when it changes, initialise every device again',
    },
    version: named(
      'Versions',
      objectOf({
        api: { ...versionSchema, description: 'must be checked by every client' },
        service: versionSchema,
        module_driver: versionSchema,
        kernel_driver: versionSchema,
      }),
    ),
    devices: listOf(
      named(
        'Device',
        objectOf({
          slot_number: unsigned({ description: 'used to build further URLs' }),
          sdbp_version: { ...versionSchema, description: 'bus protocol version of the device' },
          device_session: {
            ...sessionSchema,
            description: 'session identifier of the device: when it changes, initialise the device again',
          },
        }),
      ),
      { description: 'all usable devices of this service, by slot number' },
    ),
  }),
)

/** Spec "Device descriptor", with the words and units of behaviour.md "Descriptor". */
export const descriptorSchema = named(
  'Descriptor',
  objectOf({
    slot_number: unsigned(),
    vendor_product_id: text(),
    product_name: text(),
    vendor_name: text(),
    serial_code: text(),
    fw_version: named(
      'FirmwareVersion',
      objectOf({
        stability: choice(['A', 'B', 'S'], { description: 'alpha, beta or stable' }),
        version: versionSchema,
      }),
    ),
    hw_version: versionSchema,
    protocol_version: versionSchema,
    bootloader_state: choice(['not supported', 'supported', 'in bootloader mode']),
    max_frame_size: unsigned({ unit: 'bytes' }),
    max_power_12v: unsigned({ unit: 'mW' }),
    max_power_5v0: unsigned({ unit: 'mW' }),
    max_power_3v3: unsigned({ unit: 'mW' }),
    max_sclk_speed: unsigned({ unit: 'kHz' }),
  }),
)
