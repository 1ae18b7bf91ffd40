"""The numbers of the template that the pipeline rests on."""

from __future__ import annotations

import json

from tests.support.backends import World


def test_the_consumers_numbers_in_the_template_fit_each_other(quick: World) -> None:
    consumer = quick.template.functions["SubmissionConsumer"]
    (source,) = (each for each in quick.template.event_sources if each.function == "SubmissionConsumer")
    (queue,) = (each for each in quick.template.queues if each.url == source.queue_url)
    assert source.queue_url == quick.settings.submissions_queue_url
    assert (source.batch_size, source.maximum_concurrency, source.report_batch_item_failures) == (10, 20, True)
    assert source.maximum_concurrency is not None
    assert consumer.reserved_concurrency is not None and consumer.reserved_concurrency >= source.maximum_concurrency
    assert int(queue.attributes["VisibilityTimeout"]) >= 6 * consumer.timeout
    assert json.loads(queue.attributes["RedrivePolicy"])["maxReceiveCount"] == 5
    assert quick.settings.lease_seconds > consumer.timeout
