"""The errors SQS answers with, as its SDKs expect them on the wire."""

from __future__ import annotations

# SQS once spoke the query protocol, and clients still see its codes: botocore raises the class named by `__type`, but
# reports the code of the `x-amzn-query-error` header. Where the two differ, the older code is listed here.
_QUERY_CODES = {
    "QueueDoesNotExist": "AWS.SimpleQueueService.NonExistentQueue",
    "QueueNameExists": "QueueAlreadyExists",
    "BatchEntryIdsNotDistinct": "AWS.SimpleQueueService.BatchEntryIdsNotDistinct",
    "BatchRequestTooLong": "AWS.SimpleQueueService.BatchRequestTooLong",
    "EmptyBatchRequest": "AWS.SimpleQueueService.EmptyBatchRequest",
    "InvalidBatchEntryId": "AWS.SimpleQueueService.InvalidBatchEntryId",
    "MessageNotInflight": "AWS.SimpleQueueService.MessageNotInflight",
    "TooManyEntriesInBatchRequest": "AWS.SimpleQueueService.TooManyEntriesInBatchRequest",
    "UnsupportedOperation": "AWS.SimpleQueueService.UnsupportedOperation",
}


class SqsError(Exception):
    """One refused request or batch entry: `code` is the name of the error's shape in the API."""

    def __init__(self, code: str, message: str, *, status: int = 400) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.status = status

    @property
    def sender_fault(self) -> bool:
        return self.status < 500

    @property
    def query_code(self) -> str:
        return _QUERY_CODES.get(self.code, self.code)

    @property
    def query_error_header(self) -> str:
        return f"{self.query_code};{'Sender' if self.sender_fault else 'Receiver'}"

    def body(self) -> dict[str, str]:
        return {"__type": f"com.amazonaws.sqs#{self.code}", "message": self.message}

    def batch_entry(self, entry_id: str) -> dict[str, object]:
        """How a batch reports that this one entry failed."""
        return {"Id": entry_id, "SenderFault": self.sender_fault, "Code": self.query_code, "Message": self.message}


def no_such_queue() -> SqsError:
    return SqsError("QueueDoesNotExist", "The specified queue does not exist.")


def invalid_value(value: object, parameter: str, reason: str) -> SqsError:
    return SqsError("InvalidParameterValue", f"Value {value} for parameter {parameter} is invalid. Reason: {reason}")
