"""The one stream in which all parts of the local stack speak."""

import io
import json

from local.logs import LogStream, readable


def test_a_structured_line_reads_as_an_event_and_its_fields() -> None:
    line = json.dumps(
        {"level": "INFO", "message": "record_done", "location": "x:1", "outcome": "PUBLISHED", "tries": 2}
    )
    assert readable(line) == "record_done outcome=PUBLISHED tries=2"


def test_a_warning_says_so_and_a_trace_is_kept_readable() -> None:
    line = json.dumps({"level": "ERROR", "message": "crashed", "exception": "Traceback:\n  boom"})
    assert readable(line).startswith("ERROR crashed") and readable(line).endswith("Traceback:\n  boom")


def test_metrics_are_left_out_and_other_lines_stay_as_they_are() -> None:
    assert readable(json.dumps({"_aws": {}, "Submissions": 1})) == ""
    assert readable("LOG:  ready\n") == "LOG:  ready"
    assert readable("{not json") == "{not json"


def test_a_function_is_named_without_the_stack_and_with_its_environment() -> None:
    out = io.StringIO()
    LogStream(out).function("skillgate-local-Sweeper", 3, "hello")
    assert out.getvalue()[9:].split() == ["Sweeper/3", "hello"]
