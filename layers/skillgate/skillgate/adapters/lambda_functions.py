"""Starting another function and not waiting for it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from skillgate.domain.errors import NotConfigured, Unavailable


class LambdaDiscovery:
    """The discovery function, invoked asynchronously: Lambda queues the event and tries it again if it fails."""

    def __init__(self, function_name: str, make_client: Callable[[], Any]) -> None:
        self._function_name = function_name
        self._make_client = make_client

    def dispatch(self, event: Mapping[str, Any]) -> None:
        if not self._function_name:
            raise NotConfigured("DISCOVERY_FUNCTION_NAME is empty, so no run can be started from here.")
        try:
            self._client.invoke(
                FunctionName=self._function_name, InvocationType="Event", Payload=json.dumps(dict(event)).encode()
            )
        except (BotoCoreError, ClientError) as error:
            raise Unavailable("The discovery function could not be started.", retry_after=30) from error

    @cached_property
    def _client(self) -> Any:
        # Only the admin API dispatches; all other functions are spared the client.
        return self._make_client()
