"""Starting the discovery function."""

from __future__ import annotations

import json
from typing import Any

import pytest
from botocore.exceptions import ClientError, EndpointConnectionError
from skillgate.adapters.lambda_functions import LambdaDiscovery
from skillgate.domain.errors import NotConfigured, Unavailable


class Client:
    def __init__(self, error: Exception | None = None) -> None:
        self.calls: list[dict[str, Any]] = []
        self._error = error

    def invoke(self, **call: Any) -> None:
        if self._error:
            raise self._error
        self.calls.append(call)


def test_the_function_is_invoked_asynchronously_with_the_event() -> None:
    client = Client()
    LambdaDiscovery("discovery", lambda: client).dispatch({"source": "npm"})
    [call] = client.calls
    assert (call["FunctionName"], call["InvocationType"]) == ("discovery", "Event")
    assert json.loads(call["Payload"]) == {"source": "npm"}


def test_one_client_serves_all_dispatches_and_none_is_made_before() -> None:
    made: list[Client] = []
    dispatcher = LambdaDiscovery("discovery", lambda: made.append(Client()) or made[-1])  # type: ignore[func-returns-value]
    assert made == []
    dispatcher.dispatch({"source": "npm"})
    dispatcher.dispatch({"source": "vendors"})
    assert len(made) == 1


def test_a_function_that_has_no_name_is_not_configured() -> None:
    with pytest.raises(NotConfigured, match="DISCOVERY_FUNCTION_NAME"):
        LambdaDiscovery("", Client).dispatch({"source": "npm"})


@pytest.mark.parametrize(
    "error",
    [
        ClientError({"Error": {"Code": "TooManyRequestsException"}}, "Invoke"),
        EndpointConnectionError(endpoint_url="http://127.0.0.1:1"),
    ],
)
def test_a_lambda_that_does_not_take_it_is_unavailable(error: Exception) -> None:
    with pytest.raises(Unavailable, match="could not be started"):
        LambdaDiscovery("discovery", lambda: Client(error)).dispatch({"source": "npm"})
