"""The table: batches in parallel, what comes back unprocessed tried again, SDK errors turned into the domain's."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from boto3.dynamodb.types import TypeDeserializer, TypeSerializer
from botocore.exceptions import BotoCoreError, ClientError

from skillgate.concurrency import chunks, settle
from skillgate.domain.errors import StoreUnavailable

Item = dict[str, Any]

INDEX = "gsi1"
BATCH_GET = 100
BATCH_WRITE = 25
_WORKERS = 8
_ROUNDS = 6

_serialize = TypeSerializer().serialize
_deserialize = TypeDeserializer().deserialize


def to_item(values: Mapping[str, Any]) -> Item:
    """The item in DynamoDB's types; None is left out."""
    return {name: _serialize(value) for name, value in values.items() if value is not None}


def from_item(item: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _deserialize(value) for name, value in item.items()}


@contextmanager
def translated() -> Iterator[None]:
    """Turns the SDK's errors into StoreUnavailable, except a failed condition, which is an answer."""
    try:
        yield
    except ClientError as error:
        if error.response["Error"]["Code"] == "ConditionalCheckFailedException":
            raise
        raise StoreUnavailable("DynamoDB refused the call.", retry_after=5) from error
    except BotoCoreError as error:
        raise StoreUnavailable("DynamoDB did not answer.", retry_after=5) from error


class Table:
    def __init__(self, client: Any, name: str, sleep: Callable[[float], None] = time.sleep) -> None:
        self._client = client
        self._sleep = sleep
        self.name = name

    def get(self, pk: str, sk: str) -> dict[str, Any] | None:
        with translated():
            answer = self._client.get_item(TableName=self.name, Key=to_item({"pk": pk, "sk": sk}), ConsistentRead=True)
        return from_item(answer["Item"]) if "Item" in answer else None

    def put(
        self,
        values: Mapping[str, Any],
        *,
        condition: str | None = None,
        names: Mapping[str, str] | None = None,
        bound: Mapping[str, Any] | None = None,
    ) -> bool:
        """False if the condition does not hold; nothing is written then.

        The SDK retries by itself, so a put may meet its own first try: finding just what it wanted to write is success.
        """
        item = to_item(values)
        optional: dict[str, Any] = {}
        if condition:
            optional = {"ConditionExpression": condition, "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}
        if names:
            optional["ExpressionAttributeNames"] = dict(names)
        if bound:
            optional["ExpressionAttributeValues"] = {name: _serialize(value) for name, value in bound.items()}
        try:
            with translated():
                self._client.put_item(TableName=self.name, Item=item, **optional)
        except ClientError as error:  # the only one that `translated` lets through is a failed condition
            return error.response.get("Item") == item
        return True

    def put_together(self, puts: Sequence[tuple[Mapping[str, Any], str, Mapping[str, Any]]]) -> bool:
        """All of these (item, condition, bound values), or none of them and False.

        DynamoDB cancels one of two transactions that meet at an item, whatever their conditions: that one tries again.
        """
        actions = [
            {
                "Put": {
                    "TableName": self.name,
                    "Item": to_item(item),
                    "ConditionExpression": condition,
                    **({"ExpressionAttributeValues": to_item(bound)} if bound else {}),
                }
            }
            for item, condition, bound in puts
        ]
        for pause in self._rounds():
            self._sleep(pause)
            try:
                self._client.transact_write_items(TransactItems=actions)
                return True
            except ClientError as error:
                reasons = {reason.get("Code") for reason in error.response.get("CancellationReasons", [])}
                if "ConditionalCheckFailed" in reasons:
                    return False
                if "TransactionConflict" not in reasons:
                    raise StoreUnavailable("DynamoDB refused the transaction.", retry_after=5) from error
            except BotoCoreError as error:
                raise StoreUnavailable("DynamoDB did not answer.", retry_after=5) from error
        raise StoreUnavailable("DynamoDB kept cancelling the transaction.", retry_after=5)

    def add(self, pk: str, sk: str, counter: str, *, expires_at: int) -> int:
        """One more on the item's counter; its new value. The first one makes the item."""
        with translated():
            answer = self._client.update_item(
                TableName=self.name,
                Key=to_item({"pk": pk, "sk": sk}),
                UpdateExpression="ADD #counter :one SET expiresAt = if_not_exists(expiresAt, :end)",
                ExpressionAttributeNames={"#counter": counter},
                ExpressionAttributeValues={":one": _serialize(1), ":end": _serialize(expires_at)},
                ReturnValues="UPDATED_NEW",
            )
        return int(_deserialize(answer["Attributes"][counter]))

    def delete(self, pk: str, sk: str, *, condition: str | None = None, names: Mapping[str, str] | None = None) -> bool:
        """False if the condition does not hold; nothing is deleted then."""
        optional: dict[str, Any] = {"ConditionExpression": condition} if condition else {}
        if names:
            optional["ExpressionAttributeNames"] = dict(names)
        try:
            with translated():
                self._client.delete_item(TableName=self.name, Key=to_item({"pk": pk, "sk": sk}), **optional)
        except ClientError:  # the only one that `translated` lets through is a failed condition
            return False
        return True

    def get_many(self, keys: Sequence[tuple[str, str]]) -> tuple[list[dict[str, Any]], int]:
        """The items that exist, and how many keys could not be read at all. Chunks of 100, side by side.

        Raises StoreUnavailable only if no chunk could be read.
        """
        parts = chunks(list(dict.fromkeys(keys)), BATCH_GET)
        outcomes = settle(self._get_chunk, parts, workers=_WORKERS)
        failures = [outcome.error for outcome in outcomes if outcome.error]
        if failures and len(failures) == len(outcomes):
            raise failures[0]
        items = [item for outcome in outcomes if outcome.ok for item in outcome.unwrap()[0]]
        unread = sum(o.unwrap()[1] if o.ok else len(part) for part, o in zip(parts, outcomes, strict=True))
        return items, unread

    def _get_chunk(self, keys: Sequence[tuple[str, str]]) -> tuple[list[dict[str, Any]], int]:
        wanted = [to_item({"pk": pk, "sk": sk}) for pk, sk in keys]
        found: list[dict[str, Any]] = []
        for pause in self._rounds():
            self._sleep(pause)
            with translated():
                answer = self._client.batch_get_item(RequestItems={self.name: {"Keys": wanted, "ConsistentRead": True}})
            found += [from_item(item) for item in answer["Responses"].get(self.name, [])]
            wanted = answer.get("UnprocessedKeys", {}).get(self.name, {}).get("Keys", [])
            if not wanted:
                break
        return found, len(wanted)

    def put_many(self, items: Sequence[Mapping[str, Any]]) -> None:
        """Unconditional puts in chunks of 25, side by side. Raises StoreUnavailable if any could not be written."""
        for outcome in settle(self._put_chunk, chunks(items, BATCH_WRITE), workers=_WORKERS):
            outcome.unwrap()

    def _put_chunk(self, items: Sequence[Mapping[str, Any]]) -> None:
        requests = [{"PutRequest": {"Item": to_item(item)}} for item in items]
        for pause in self._rounds():
            self._sleep(pause)
            with translated():
                answer = self._client.batch_write_item(RequestItems={self.name: requests})
            requests = answer.get("UnprocessedItems", {}).get(self.name, [])
            if not requests:
                return
        raise StoreUnavailable("DynamoDB kept returning items unprocessed.", retry_after=10)

    def query_index(
        self, partitions: Sequence[str], *, before: str | None = None, limit: int = 1000
    ) -> tuple[list[tuple[str, str]], int]:
        """The keys under these partitions of the index, lowest first, and how many partitions could not be read.

        All partitions are read side by side. Raises StoreUnavailable only if none could be read.
        """

        def keys_of(partition: str) -> list[tuple[str, str]]:
            return self._query(partition, before=before, limit=limit)

        outcomes = settle(keys_of, partitions, workers=len(partitions))
        failures = [outcome.error for outcome in outcomes if outcome.error]
        if failures and len(failures) == len(outcomes):
            raise failures[0]
        return [key for outcome in outcomes if outcome.ok for key in outcome.unwrap()], len(failures)

    def index_sort_keys(self, partition: str) -> list[str]:
        """Every sort key under a partition of the index; what fits in a key needs no reading of items."""
        return [item["gsi1sk"]["S"] for item in self._pages(INDEX, "gsi1pk = :p", {":p": partition})]

    def query(self, pk: str) -> list[dict[str, Any]]:
        """Every item of one partition of the table itself."""
        return [from_item(item) for item in self._pages(None, "pk = :p", {":p": pk}, ConsistentRead=True)]

    def _pages(
        self, index: str | None, condition: str, values: Mapping[str, Any], **options: Any
    ) -> Iterator[Mapping[str, Any]]:
        if index:
            options["IndexName"] = index
        while True:
            with translated():
                answer = self._client.query(
                    TableName=self.name,
                    KeyConditionExpression=condition,
                    ExpressionAttributeValues={name: _serialize(value) for name, value in values.items()},
                    **options,
                )
            yield from answer["Items"]
            if "LastEvaluatedKey" not in answer:
                return
            options["ExclusiveStartKey"] = answer["LastEvaluatedKey"]

    def _query(self, partition: str, *, before: str | None, limit: int) -> list[tuple[str, str]]:
        condition, values = "gsi1pk = :p", {":p": partition}
        if before is not None:
            condition, values = condition + " AND gsi1sk < :b", values | {":b": before}
        found: list[tuple[str, str]] = []
        start: dict[str, Any] = {}
        while len(found) < limit:
            with translated():
                answer = self._client.query(
                    TableName=self.name,
                    IndexName=INDEX,
                    KeyConditionExpression=condition,
                    ExpressionAttributeValues={name: _serialize(value) for name, value in values.items()},
                    Limit=min(1000, limit - len(found)),
                    **start,
                )
            found += [(item["pk"]["S"], item["sk"]["S"]) for item in answer["Items"]]
            if "LastEvaluatedKey" not in answer:
                break
            start = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}
        return found

    def _rounds(self) -> Iterator[float]:
        """Pauses before each try: none, then growing ones with jitter."""
        yield 0.0
        for round_ in range(_ROUNDS - 1):
            yield random.uniform(0.5, 1.0) * 0.05 * 2**round_  # noqa: S311 - jitter, not a secret
