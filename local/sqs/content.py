"""A message's content: what may be sent, how long it is, and the digests that SDKs verify."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from local.sqs.errors import SqsError

MAX_ATTRIBUTES = 10
_ATTRIBUTE_NAME = re.compile(r"[A-Za-z0-9_.-]{1,256}")
# XML 1.0's characters: the ones that SQS carries.
_FORBIDDEN_CHARACTER = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_STRING, _BINARY = 1, 2

Attributes = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Content:
    """A checked message as it is kept."""

    body: str
    attributes: str
    system_attributes: str
    size: int

    @property
    def digests(self) -> dict[str, str]:
        """The digests under the names in which the send operations answer them."""
        found = {"MD5OfMessageBody": body_digest(self.body)}
        if attributes := json.loads(self.attributes):
            found["MD5OfMessageAttributes"] = attributes_digest(attributes)
        if system_attributes := json.loads(self.system_attributes):
            found["MD5OfMessageSystemAttributes"] = attributes_digest(system_attributes)
        return found


def checked_content(body: str, attributes: Attributes, system_attributes: Attributes) -> Content:
    if not body:
        raise SqsError("MissingParameter", "The request must contain the parameter MessageBody.")
    if _FORBIDDEN_CHARACTER.search(body):
        raise SqsError("InvalidMessageContents", "The message contains characters outside the allowed set.")
    if len(attributes) > MAX_ATTRIBUTES:
        raise SqsError("InvalidParameterValue", f"A message may have at most {MAX_ATTRIBUTES} attributes.")
    size = len(body.encode()) + sum(_attribute_size(name, value) for name, value in attributes.items())
    for name, value in system_attributes.items():
        _attribute_size(name, value)
    return Content(body, json.dumps(attributes), json.dumps(system_attributes), size)


def body_digest(body: str) -> str:
    return _md5(body.encode())


def attributes_digest(attributes: Attributes) -> str:
    """The MD5 over names, types and values, as the SQS developer guide lays it out."""
    encoded = bytearray()
    for name in sorted(attributes):
        kind, value = _typed_value(name, attributes[name])
        for part in (name.encode(), attributes[name]["DataType"].encode()):
            encoded += len(part).to_bytes(4, "big") + part
        encoded += kind.to_bytes(1, "big") + len(value).to_bytes(4, "big") + value
    return _md5(bytes(encoded))


def attribute_filter(wanted: set[str]) -> Callable[[str], bool]:
    """Which message attributes a receive asked for: names, `All`, or prefixes such as `trace.*`."""
    prefixes = tuple(name.removesuffix("*").removesuffix(".") for name in wanted if name.endswith(".*"))
    everything = "All" in wanted

    def is_wanted(name: str) -> bool:
        return everything or name in wanted or (bool(prefixes) and name.startswith(prefixes))

    return is_wanted


def _attribute_size(name: str, attribute: object) -> int:
    _, value = _typed_value(name, attribute)
    assert isinstance(attribute, dict)  # _typed_value has refused everything else
    return len(name.encode()) + len(attribute["DataType"].encode()) + len(value)


def _typed_value(name: str, attribute: object) -> tuple[int, bytes]:
    if not _ATTRIBUTE_NAME.fullmatch(name):
        raise _invalid(name, "its name may hold only A-Z, a-z, 0-9, underscore, hyphen and period")
    if not isinstance(attribute, Mapping) or not isinstance(attribute.get("DataType"), str):
        raise _invalid(name, "it must have a type")
    family = attribute["DataType"].partition(".")[0]
    if family not in ("String", "Number", "Binary"):
        raise _invalid(name, "the supported type prefixes are Binary, Number and String")
    value = attribute.get("BinaryValue" if family == "Binary" else "StringValue")
    if not isinstance(value, str) or not value:
        raise _invalid(name, f"it must contain a non-empty value of type {family}")
    if family != "Binary":
        return _STRING, value.encode()
    try:
        return _BINARY, base64.b64decode(value, validate=True)
    except binascii.Error as error:
        raise _invalid(name, "its binary value is not base64") from error


def _invalid(name: str, reason: str) -> SqsError:
    return SqsError("InvalidParameterValue", f"The message attribute '{name[:256]}' is invalid: {reason}.")


def _md5(data: bytes) -> str:
    return hashlib.md5(data, usedforsecurity=False).hexdigest()
