"""A device for each test: a twin, started by the slotwire command."""

import json
import subprocess

import pytest
from slotwire_client import Client

SERVE = "slotwire serve --hardware twin --port 0 --json --state memory --log-level warn"


@pytest.fixture
def device():
    with subprocess.Popen(SERVE.split(), stdout=subprocess.PIPE, text=True) as twin:
        url = json.loads(twin.stdout.readline())["urls"][0]
        with Client(base_url=url) as client:
            yield client
        twin.terminate()
