"""Event notifications of S3 in a queue of SQS: addresses of objects that were written, restored or removed.
Messages come from S3 directly, through SNS or through EventBridge (Amazon S3 user guide, "Event message structure" and "Using
EventBridge"). They may come more than once and in any order, so only their addresses are used."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from typing import Any, Final
from urllib.parse import unquote_plus, urlsplit

import boto3
from botocore.exceptions import BotoCoreError, ClientError
from msgspec import Struct

from pdfmill.transforms.storage.errors import SourceError
from pdfmill.transforms.storage.secrets import fill_environment

#: Seconds for which a received message is hidden from other receivers; the maximum of SQS.
_HOLD_S: Final = 43_200
#: Messages per request; the maximum of SQS.
_AT_ONCE: Final = 10


class Message(Struct, frozen=True):
    """A message of a queue. receipt: identifies it for `delete` and `give_back`. uris: addresses of the objects that it names; None if it
    is no event of S3."""

    receipt: str  # handle for deleting the message or giving it back to the queue
    uris: tuple[str, ...] | None  # addresses of objects; None if the message is no event of S3


def receive(queue: str) -> Iterator[Message]:
    """Yield the messages that wait in a queue. The queue hides them from other receivers for a while.

    Raises:
        SourceError: with the code store_error, if the queue cannot be reached.
    """
    while True:
        asked = {"MaxNumberOfMessages": _AT_ONCE, "VisibilityTimeout": _HOLD_S, "WaitTimeSeconds": 1}
        got = _ask(queue, "receive_message", asked).get("Messages", [])
        if not got:
            return
        yield from (Message(each["ReceiptHandle"], addresses(each["Body"])) for each in got)


def delete(queue: str, receipts: Sequence[str]) -> None:
    """Delete messages from the queue, by their receipts. Raises SourceError(store_error). One that is not deleted is delivered again."""
    _for_all(queue, "delete_message_batch", receipts, {})


def give_back(queue: str, receipts: Sequence[str]) -> None:
    """Make messages that `receive` has hidden visible to other receivers. receipts: of the messages. Raises SourceError(store_error)."""
    _for_all(queue, "change_message_visibility_batch", receipts, {"VisibilityTimeout": 0})


def addresses(body: str) -> tuple[str, ...] | None:
    """Return the addresses of the objects that a message names; None if the message is no event of S3.

    >>> addresses('{"Records": [{"s3": {"bucket": {"name": "b"}, "object": {"key": "in/a+b.pdf"}}}]}')
    ('s3://b/in/a b.pdf',)
    >>> addresses("hello")
    """
    try:
        told = json.loads(body)
        if "Message" in told:  # of SNS
            told = json.loads(told["Message"])
        if told.get("Event") == "s3:TestEvent":  # S3 sends one when notifications are switched on
            return ()
        if "detail" in told:  # of EventBridge, whose keys are as they are
            return (f"s3://{told['detail']['bucket']['name']}/{told['detail']['object']['key']}",)
        records = [each["s3"] for each in told["Records"]]
        return tuple(f"s3://{each['bucket']['name']}/{unquote_plus(each['object']['key'])}" for each in records)
    except (ValueError, TypeError, KeyError, AttributeError):
        return None


def _for_all(queue: str, action: str, receipts: Sequence[str], more: dict[str, Any]) -> None:
    for start in range(0, len(receipts), _AT_ONCE):
        some = receipts[start : start + _AT_ONCE]
        _ask(queue, action, {"Entries": [{"Id": str(number), "ReceiptHandle": each, **more} for number, each in enumerate(some)]})


def _ask(queue: str, action: str, asked: dict[str, Any]) -> Any:
    """Call an action of SQS on a queue, with boto3's credentials and the region in the queue's host name, else AWS_REGION."""
    fill_environment()
    host = urlsplit(queue)
    named = host.netloc.split(".")
    region = named[1] if named[0] == "sqs" and named[2:3] == ["amazonaws"] else os.environ.get("AWS_REGION", "us-east-1")
    try:
        client = boto3.client("sqs", region_name=region, endpoint_url=f"{host.scheme}://{host.netloc}")
        return getattr(client, action)(QueueUrl=queue, **asked)
    except (ClientError, BotoCoreError) as error:
        raise SourceError("store_error", f"{queue}: {error}") from error
