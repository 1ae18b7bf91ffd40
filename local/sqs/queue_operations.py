"""The operations on queues."""

from __future__ import annotations

import re

from local.sqs import attributes, fields
from local.sqs.attributes import RedrivePolicy
from local.sqs.calls import Arrivals, Call, Handler, Queues
from local.sqs.errors import SqsError, invalid_value
from local.sqs.fields import Json
from local.sqs.store import Queue

_QUEUE_NAME = re.compile(r"[A-Za-z0-9_-]{1,80}")
_PAGE = 1_000


class QueueOperations:
    def __init__(self, queues: Queues, arrivals: Arrivals) -> None:
        self._queues = queues
        self._store = queues.store
        self._arrivals = arrivals

    def handlers(self) -> dict[str, Handler]:
        return {
            "CreateQueue": self.create,
            "DeleteQueue": self.delete,
            "GetQueueAttributes": self.get_attributes,
            "GetQueueUrl": self.get_url,
            "ListDeadLetterSourceQueues": self.list_dead_letter_sources,
            "ListQueues": self.list_queues,
            "PurgeQueue": self.purge,
            "SetQueueAttributes": self.set_attributes,
        }

    async def create(self, call: Call) -> Json:
        name = fields.text(call.request, "QueueName")
        if name.endswith(".fifo"):
            raise SqsError("UnsupportedOperation", "This server has standard queues only.")
        if not _QUEUE_NAME.fullmatch(name):
            raise SqsError(
                "InvalidParameterValue",
                "Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length",
            )
        wanted = self._checked_attributes(call)
        existing = self._store.queue(name)
        if existing is None:
            self._store.create_queue(name, attributes.DEFAULTS | wanted)
        elif any(existing.attributes.get(attribute, "") != value for attribute, value in wanted.items()):
            raise SqsError("QueueNameExists", "A queue already exists with the same name and a different value.")
        return {"QueueUrl": self._queues.url(name, call)}

    async def delete(self, call: Call) -> Json:
        queue = self._queues.of(call)
        self._store.delete_queue(queue)
        self._arrivals.announce(queue.id)  # its long polls find it gone
        return {}

    async def get_url(self, call: Call) -> Json:
        return {"QueueUrl": self._queues.url(self._queues.named(fields.text(call.request, "QueueName")).name, call)}

    async def list_queues(self, call: Call) -> Json:
        prefix = fields.optional_text(call.request, "QueueNamePrefix") or ""
        return self._page(call, [name for name in self._store.queue_names() if name.startswith(prefix)], "QueueUrls")

    async def list_dead_letter_sources(self, call: Call) -> Json:
        return self._page(call, self.dead_letter_sources(self._queues.of(call)), "queueUrls")

    def dead_letter_sources(self, dead_letters: Queue) -> list[str]:
        """The names of the queues whose dead letters go into this one."""
        arn = self._queues.arn(dead_letters.name)
        sources = []
        for name in self._store.queue_names():
            policy = self._queues.named(name).attributes.get("RedrivePolicy")
            if policy and RedrivePolicy.parse(policy).dead_letter_arn == arn:
                sources.append(name)
        return sources

    async def purge(self, call: Call) -> Json:
        # AWS lets a queue be purged once a minute. Here as often as wanted: tests and operators start over at will.
        self._store.purge(self._queues.of(call))
        return {}

    async def get_attributes(self, call: Call) -> Json:
        queue = self._queues.of(call)
        wanted = fields.names(call.request, "AttributeNames")
        if unknown := wanted - attributes.READABLE:
            raise SqsError("InvalidAttributeName", f"Unknown Attribute {min(unknown)}.")
        known = self._all_attributes(queue) if wanted else {}
        chosen = {name: value for name, value in known.items() if value and ("All" in wanted or name in wanted)}
        return {"Attributes": chosen} if chosen else {}

    async def set_attributes(self, call: Call) -> Json:
        queue = self._queues.of(call)
        self._store.set_attributes(queue, {**queue.attributes, **self._checked_attributes(call)})
        return {}

    def _all_attributes(self, queue: Queue) -> dict[str, str]:
        counts = self._store.counts(queue)
        return {
            **queue.attributes,
            "ApproximateNumberOfMessages": str(counts.visible),
            "ApproximateNumberOfMessagesDelayed": str(counts.delayed),
            "ApproximateNumberOfMessagesNotVisible": str(counts.in_flight),
            "CreatedTimestamp": str(queue.created // 1_000),
            "LastModifiedTimestamp": str(queue.modified // 1_000),
            "QueueArn": self._queues.arn(queue.name),
        }

    def _checked_attributes(self, call: Call) -> dict[str, str]:
        wanted = attributes.checked(fields.mapping(call.request, "Attributes"))
        if policy := wanted.get("RedrivePolicy"):
            arn = RedrivePolicy.parse(policy).dead_letter_arn
            if self._queues.by_arn(arn) is None:
                raise invalid_value(policy, "RedrivePolicy", "Dead letter target does not exist.")
        return wanted

    def _page(self, call: Call, names: list[str], field: str) -> Json:
        """One page of queue URLs; the token is the last name of the page before."""
        after = fields.optional_text(call.request, "NextToken") or ""
        size = fields.integer(call.request, "MaxResults", 1, _PAGE)
        remaining = [name for name in names if name > after]
        page = remaining[: size or _PAGE]
        answer: Json = {field: [self._queues.url(name, call) for name in page]} if page else {}
        if size and len(remaining) > size:
            answer["NextToken"] = page[-1]
        return answer
