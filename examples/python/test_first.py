"""The first program: drive pin 1, and read pin 2, which is wired to it."""

from slotwire_client.api.io import io_get_input_values, io_reset_module, io_set_output_state, io_set_power_configuration
from slotwire_client.models import (
    IoSetOutputStateRequest,
    IoSetOutputStateRequestState,
    PinPower,
    PinPowerRail,
    PowerConfiguration,
    ResetRequest,
)

SLOT = 5


def test_drives_a_pin(device):
    io_reset_module.sync(SLOT, client=device, body=ResetRequest(reset="yes"))
    power = PinPower(rail=PinPowerRail.VALUE_0, current_milliampere=100)
    decision = io_set_power_configuration.sync(SLOT, client=device, body=PowerConfiguration(config=[power] * 6))
    assert decision.status == "success"

    high = IoSetOutputStateRequest(pin=1, state=IoSetOutputStateRequestState.HIGH)
    io_set_output_state.sync(SLOT, client=device, body=high)
    pins = io_get_input_values.sync(SLOT, client=device, cache_control="no-cache").pins
    assert pins[1].value > 5000
