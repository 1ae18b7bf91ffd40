"""How the table behaves when DynamoDB does what it may: throttles, forgets, answers late."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from botocore.exceptions import ClientError, EndpointConnectionError
from skillgate.adapters.dynamodb.live import DynamoLive
from skillgate.adapters.dynamodb.table import BATCH_GET, BATCH_WRITE, Table, to_item
from skillgate.domain.errors import StoreUnavailable
from skillgate.domain.submission import State

from tests.contract.conftest import DYNAMODBS
from tests.support.examples import NOON, moved, published, submission

LATER = NOON + timedelta(days=1)
NewTable = Callable[[str], tuple[Any, Table]]


class Wrapped:
    """A client with some calls replaced: `Wrapped(client, query=fn)` calls `fn(client.query, **arguments)`."""

    def __init__(self, client: Any, **replaced: Callable[..., Any]) -> None:
        self._client, self._replaced = client, replaced

    def __getattr__(self, name: str) -> Any:
        real = getattr(self._client, name)
        replacement = self._replaced.get(name)
        return real if replacement is None else lambda **arguments: replacement(real, **arguments)


@pytest.fixture(params=DYNAMODBS)
def backing(request: pytest.FixtureRequest, new_table: NewTable) -> tuple[Any, Table]:
    return new_table(request.param)


@pytest.fixture
def dynoxide(new_table: NewTable) -> tuple[Any, Table]:
    return new_table("dynoxide")


def wrapped(backing: tuple[Any, Table], **replaced: Callable[..., Any]) -> Table:
    client, table = backing
    return Table(Wrapped(client, **replaced), table.name, sleep=lambda _: None)


def keys(count: int) -> list[tuple[str, str]]:
    return [(f"K#{number}", "STATE") for number in range(count)]


def fill(table: Table, count: int) -> None:
    table.put_many([{"pk": pk, "sk": sk, "value": 1} for pk, sk in keys(count)])


def throttled(operation: str) -> ClientError:
    return ClientError({"Error": {"Code": "ProvisionedThroughputExceededException", "Message": "slow down"}}, operation)


# --- batches ----------------------------------------------------------------------------------------------------------


def test_batches_never_ask_for_more_than_dynamodb_takes(backing: tuple[Any, Table]) -> None:
    read: list[int] = []
    written: list[int] = []

    def batch_get(real: Any, *, RequestItems: Any) -> Any:
        read.extend(len(request["Keys"]) for request in RequestItems.values())
        return real(RequestItems=RequestItems)

    def batch_write(real: Any, *, RequestItems: Any) -> Any:
        written.extend(map(len, RequestItems.values()))
        return real(RequestItems=RequestItems)

    table = wrapped(backing, batch_get_item=batch_get, batch_write_item=batch_write)
    fill(table, 230)
    items, unread = table.get_many(keys(230))

    assert (len(items), unread) == (230, 0)
    assert sorted(read) == [30, BATCH_GET, BATCH_GET]
    assert sorted(written) == [5, *[BATCH_WRITE] * 9]


def test_items_that_come_back_unwritten_are_written_in_the_next_round(dynoxide: tuple[Any, Table]) -> None:
    def only_ten(real: Any, *, RequestItems: Any) -> Any:
        ((name, requests),) = RequestItems.items()
        real(RequestItems={name: requests[:10]})
        return {"UnprocessedItems": {name: requests[10:]} if requests[10:] else {}}

    fill(wrapped(dynoxide, batch_write_item=only_ten), 60)

    assert len(dynoxide[1].get_many(keys(60))[0]) == 60


def test_keys_that_come_back_unread_are_read_in_the_next_round(dynoxide: tuple[Any, Table]) -> None:
    fill(dynoxide[1], 150)

    def only_forty(real: Any, *, RequestItems: Any) -> Any:
        ((name, request),) = RequestItems.items()
        wanted = request["Keys"]
        answer = real(RequestItems={name: request | {"Keys": wanted[:40]}})
        return answer | {"UnprocessedKeys": {name: {"Keys": wanted[40:]}} if wanted[40:] else {}}

    items, unread = wrapped(dynoxide, batch_get_item=only_forty).get_many(keys(150))

    assert (len(items), unread) == (150, 0)


def test_writes_that_never_get_through_are_an_error_and_not_forgotten(dynoxide: tuple[Any, Table]) -> None:
    table = wrapped(dynoxide, batch_write_item=lambda _, *, RequestItems: {"UnprocessedItems": RequestItems})
    with pytest.raises(StoreUnavailable):
        fill(table, 3)


def test_keys_that_are_never_read_are_counted(dynoxide: tuple[Any, Table]) -> None:
    fill(dynoxide[1], 3)

    def nothing(_: Any, *, RequestItems: Any) -> Any:
        return {"Responses": {}, "UnprocessedKeys": RequestItems}

    assert wrapped(dynoxide, batch_get_item=nothing).get_many(keys(3)) == ([], 3)


def test_a_chunk_that_throws_is_counted_key_by_key_and_does_not_hide_the_others(dynoxide: tuple[Any, Table]) -> None:
    fill(dynoxide[1], 110)

    def small_chunk_throws(real: Any, *, RequestItems: Any) -> Any:
        if len(RequestItems[dynoxide[1].name]["Keys"]) == 10:
            raise throttled("BatchGetItem")
        return real(RequestItems=RequestItems)

    items, unread = wrapped(dynoxide, batch_get_item=small_chunk_throws).get_many(keys(110))

    assert (len(items), unread) == (100, 10)


def test_where_no_chunk_can_be_read_the_store_is_unavailable_and_not_empty(dynoxide: tuple[Any, Table]) -> None:
    def unreachable(_: Any, **__: Any) -> Any:
        raise EndpointConnectionError(endpoint_url="http://nowhere.invalid")

    table = wrapped(dynoxide, batch_get_item=unreachable, query=unreachable)
    with pytest.raises(StoreUnavailable):
        table.get_many(keys(150))
    with pytest.raises(StoreUnavailable):
        DynamoLive(table).in_flight_before(LATER, 100)


def test_chunks_are_read_side_by_side(dynoxide: tuple[Any, Table]) -> None:
    fill(dynoxide[1], 3)
    together = threading.Barrier(3)

    def meets_the_others(real: Any, *, RequestItems: Any) -> Any:
        together.wait(30)  # breaks, and fails the test, unless all three are in flight at once
        return real(RequestItems=RequestItems)

    items, unread = wrapped(dynoxide, batch_get_item=meets_the_others).get_many(keys(250))

    assert (len(items), unread) == (3, 0)


def test_a_listing_asks_all_shards_side_by_side(dynoxide: tuple[Any, Table]) -> None:
    many = [submission() for _ in range(40)]
    DynamoLive(dynoxide[1]).put_new(many)
    together = threading.Barrier(16)

    def meets_the_others(real: Any, **arguments: Any) -> Any:
        together.wait(30)
        return real(**arguments)

    found = DynamoLive(wrapped(dynoxide, query=meets_the_others)).in_flight_before(LATER, 1000)

    assert set(found.submissions) == {each.id for each in many}


def test_a_listing_goes_on_where_a_page_of_the_index_ended(backing: tuple[Any, Table]) -> None:
    many = [submission() for _ in range(60)]
    DynamoLive(backing[1]).put_new(many)

    def one_at_a_time(real: Any, **arguments: Any) -> Any:
        return real(**arguments | {"Limit": 1})

    found = DynamoLive(wrapped(backing, query=one_at_a_time)).in_flight_before(LATER, 1000)

    assert set(found.submissions) == {each.id for each in many}


def test_items_are_read_as_they_are_and_not_as_they_were(dynoxide: tuple[Any, Table]) -> None:
    """Emulators are always consistent, so the request is looked at instead."""
    consistent: list[bool] = []

    def get(real: Any, **arguments: Any) -> Any:
        consistent.append(arguments["ConsistentRead"])
        return real(**arguments)

    def batch_get(real: Any, *, RequestItems: Any) -> Any:
        consistent.extend(request["ConsistentRead"] for request in RequestItems.values())
        return real(RequestItems=RequestItems)

    table = wrapped(dynoxide, get_item=get, batch_get_item=batch_get)
    table.get("K", "STATE")
    table.get_many(keys(150))

    assert consistent == [True, True, True]


# --- conditions -------------------------------------------------------------------------------------------------------


def test_a_put_whose_answer_was_lost_is_not_a_conflict(backing: tuple[Any, Table]) -> None:
    """The SDK sends it again by itself, and the second try finds what the first has written."""

    def sent_twice(real: Any, **arguments: Any) -> Any:
        real(**arguments)
        return real(**arguments)

    live = DynamoLive(wrapped(backing, put_item=sent_twice))
    claimed = moved(submission(), State.TIER1_SCANNING)

    assert live.put(claimed)
    assert not live.put(moved(submission(id=claimed.id), State.DEQUEUED))


def test_a_transaction_that_met_another_one_is_tried_again(dynoxide: tuple[Any, Table]) -> None:
    """DynamoDB cancels one of two that touch an item at the same time; that says nothing about the condition."""
    met: list[int] = []

    def conflicts_once(real: Any, **arguments: Any) -> Any:
        if not met:
            met.append(1)
            reasons = [{"Code": "None"}, {"Code": "TransactionConflict"}]
            error: Any = {"Error": {"Code": "TransactionCanceledException", "Message": "cancelled"}}
            raise ClientError(error | {"CancellationReasons": reasons}, "TransactWriteItems")
        return real(**arguments)

    received = submission()
    assert DynamoLive(wrapped(dynoxide, transact_write_items=conflicts_once)).create_exclusive(received) is None
    assert set(DynamoLive(dynoxide[1]).get_many([received.id]).submissions) == {received.id}


def test_a_refused_transaction_leaves_neither_item(backing: tuple[Any, Table]) -> None:
    table = backing[1]
    table.put({"pk": "B", "sk": "STATE"})
    absent = "attribute_not_exists(pk)"

    assert not table.put_together([({"pk": "A", "sk": "STATE"}, absent, {}), ({"pk": "B", "sk": "STATE"}, absent, {})])

    assert table.get("A", "STATE") is None


# --- what cannot be understood ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "document", ["not json", "[]", "{}", '{"state": "NO_SUCH_STATE"}', '"text"', "null", 7], ids=str
)
def test_an_item_that_does_not_parse_is_skipped_and_counted(dynoxide: tuple[Any, Table], document: Any) -> None:
    live = DynamoLive(dynoxide[1])
    good, bad = submission(), submission()
    live.put_new([good])
    index = {"gsi1pk": "INFLIGHT#3", "gsi1sk": "2000"}
    dynoxide[1].put({"pk": f"SUB#{bad.id}", "sk": "STATE", "version": 1, "document": document} | index)

    for found in (live.get_many([good.id, bad.id]), live.in_flight_before(LATER, 1000)):
        assert (set(found.submissions), found.skipped) == ({good.id}, 1)


@pytest.mark.parametrize("document", [b"not zlib", b"", "text"], ids=repr)
def test_a_skill_that_does_not_parse_does_not_hide_the_others(dynoxide: tuple[Any, Table], document: Any) -> None:
    live = DynamoLive(dynoxide[1])
    live.put_skill(published(), synced=False)
    bad = {"pk": "SKILL#a/b/c", "sk": "STATE", "gsi1pk": "UNSYNCED-SKILL#3", "gsi1sk": "a/b/c"}
    dynoxide[0].put_item(TableName=dynoxide[1].name, Item=to_item(bad | {"version": 1, "document": document}))

    assert [skill.skill_id for skill in live.unsynced_skills(100)] == [published().skill_id]


# --- a late index -----------------------------------------------------------------------------------------------------


class LateIndex:
    """Serves an index as it was when `freeze` was called."""

    def __init__(self) -> None:
        self._frozen = False
        self._answers: dict[str, Any] = {}

    def freeze(self) -> None:
        self._frozen = True

    def query(self, real: Any, **arguments: Any) -> Any:
        partition = arguments["ExpressionAttributeValues"][":p"]["S"]
        if not self._frozen:
            self._answers[partition] = real(**arguments)
        return self._answers[partition]


def test_a_late_index_shows_no_submission_that_has_moved_on(dynoxide: tuple[Any, Table]) -> None:
    late = LateIndex()
    live = DynamoLive(wrapped(dynoxide, query=late.query))
    ended, busy, gone = submission(), submission(), submission()
    live.put_new([ended, busy, gone])
    assert set(live.in_flight_before(LATER, 1000).submissions) == {ended.id, busy.id, gone.id}
    late.freeze()

    live.put(moved(ended, State.DEQUEUED))
    live.put(moved(busy, State.TIER1_SCANNING, minutes=60 * 48))
    dynoxide[1].delete(f"SUB#{gone.id}", "STATE")
    found = live.in_flight_before(LATER, 1000)

    assert (found.submissions, found.skipped) == ({}, 1)


def test_a_late_index_shows_nothing_as_unsynced_that_postgres_has_by_now(dynoxide: tuple[Any, Table]) -> None:
    late = LateIndex()
    live = DynamoLive(wrapped(dynoxide, query=late.query))
    received, skill = submission(), published()
    live.put(received, unsynced=True)
    live.put_skill(skill, synced=False)
    assert set(live.unsynced(1000).submissions) == {received.id}
    assert len(live.unsynced_skills(1000)) == 1
    late.freeze()

    live.overwrite(received)
    live.put_skill(skill, synced=True)

    assert live.unsynced(1000).submissions == {}
    assert live.unsynced_skills(1000) == []
