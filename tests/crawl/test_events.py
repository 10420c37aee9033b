"""Nights by the events of a bucket, on moto's S3 and SQS: no listing, tables as after one, messages that live until all is shown."""

from __future__ import annotations

import io
import json
import re
import tarfile
from pathlib import Path
from typing import Any

import boto3
import pytest

from pdfmill.pipeline.cli import crawl as command
from pdfmill.transforms.storage.bucket_events import addresses, receive
from pdfmill.transforms.storage.errors import SourceError
from tests.crawl.help import Crawl, one_table, tiny
from tests.servers import S3Server, gate_before

pytestmark = pytest.mark.servers


class Bucket:
    """A bucket whose events go to a queue, and the crawl of both."""

    def __init__(self, server: S3Server, folder: Path, objects: dict[str, bytes], more: str = "", source: str = "in/") -> None:
        self.s3, self.name = server.client(), server.make_bucket(objects)
        keys = {"aws_access_key_id": server.access_key, "aws_secret_access_key": server.secret_key}
        self.sqs: Any = boto3.client("sqs", endpoint_url=server.endpoint, region_name="us-east-1", **keys)
        self.queue = self.sqs.create_queue(QueueName=self.name)["QueueUrl"]
        arn = self.sqs.get_queue_attributes(QueueUrl=self.queue, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
        events = [{"QueueArn": arn, "Events": ["s3:ObjectCreated:*", "s3:ObjectRemoved:*"]}]
        self.s3.put_bucket_notification_configuration(Bucket=self.name, NotificationConfiguration={"QueueConfigurations": events})
        path = folder / "crawl.toml"
        named = f'[[source]]\nname = "in"\nfrom = "s3://{self.name}/{source}"\nevents = "{self.queue}"\n'
        path.write_text(f'output = "{folder}/out"\n[crawl]\n{more}\n{named}[options]\nno_isolation = true\n')
        self.crawl = Crawl(path, "", f"{folder}/out")

    def put(self, key: str, data: bytes) -> None:
        self.s3.put_object(Bucket=self.name, Key=key, Body=data)

    def waiting(self) -> tuple[int, int]:
        """Messages that wait, and those that somebody holds."""
        names = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"]
        told = self.sqs.get_queue_attributes(QueueUrl=self.queue, AttributeNames=names)["Attributes"]
        return int(told[names[0]]), int(told[names[1]])

    def documents(self) -> list[str]:
        rows = one_table(self.crawl.output, "sources").to_pylist()
        return sorted(row["source_uri"].partition(f"{self.name}/")[2] for row in rows if row["deleted_at"] is None)


def archive(**members: bytes) -> bytes:
    sink = io.BytesIO()
    with tarfile.open(fileobj=sink, mode="w") as tar:
        for name, data in members.items():
            info = tarfile.TarInfo(f"{name}.pdf")
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return sink.getvalue()


def test_a_night_takes_what_the_queue_names_and_lists_nothing(s3_server: S3Server, tmp_path: Path) -> None:
    begin = {f"in/{name}.pdf": tiny(name) for name in ("a", "b", "c [1]", "d+e")}
    with gate_before(s3_server.endpoint) as gate:
        bucket = Bucket(s3_server, tmp_path, begin)
        text = bucket.crawl.path.read_text()
        bucket.crawl.path.write_text(f'{text}[[store]]\nat = "s3://{bucket.name}/"\nendpoint = "{gate.endpoint}"\n')
        bucket.put("in/early.pdf", tiny("early"))
        assert bucket.crawl.report()["plan"] == {"new": 5}, "what the snapshot has nothing of is listed"
        assert bucket.waiting() == (0, 0)
        asked = len(gate.seen)
        bucket.put("in/a.pdf", tiny("changed"))
        bucket.put("in/c [1].pdf", tiny("changed too"))
        bucket.put("in/new.pdf", tiny("new"))
        bucket.put("in/notes.txt", b"no PDF")
        bucket.put("elsewhere.pdf", tiny("not below"))
        bucket.put("in/short.pdf", tiny("there and away"))
        for key in ("in/b.pdf", "in/short.pdf"):
            bucket.s3.delete_object(Bucket=bucket.name, Key=key)
        report = bucket.crawl.report()
        assert (report["plan"], report["statuses"], report["exit_code"]) == (
            {"new": 1, "changed": 2, "unchanged": 2, "gone": 1}, {"ok": 3}, 0,
        )  # fmt: skip
        assert bucket.documents() == ["in/a.pdf", "in/c [1].pdf", "in/d+e.pdf", "in/early.pdf", "in/new.pdf"]
        assert bucket.waiting() == (0, 0)
        assert not [seen for seen in gate.seen[asked:] if "list-type" in seen[1] or "?" in seen[1]], "no listing"
        assert bucket.crawl.report()["outcome"] == "unchanged"
    bucket.crawl.path.write_text(text.replace(f'events = "{bucket.queue}"\n', ""))
    assert bucket.crawl.report()["plan"] == {"unchanged": 5}, "as a listing has it"


def test_messages_come_again_until_all_that_they_name_is_shown(
    s3_server: S3Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A budget that leaves something, deletes that are withheld, a run that dies before its commit."""
    bucket = Bucket(s3_server, tmp_path, {f"in/{number}.pdf": tiny(f"{number}") for number in range(9)})
    bucket.crawl.report()
    for number in range(5):
        bucket.s3.delete_object(Bucket=bucket.name, Key=f"in/{number}.pdf")
    bucket.put("in/new.pdf", tiny("new"))
    assert bucket.crawl.report()["exit_code"] == 4
    assert bucket.waiting() == (6, 0)
    with monkeypatch.context() as dying:
        dying.setattr("pdfmill.pipeline.crawl.local_run.commit", lambda *_: (_ for _ in ()).throw(SourceError("store_error", "away")))
        assert bucket.crawl.report("--allow-mass-delete")["exit_code"] == 2
    assert bucket.waiting() == (6, 0)
    assert bucket.crawl.report("--allow-mass-delete")["plan"] == {"unchanged": 5, "gone": 5}
    assert bucket.waiting() == (0, 0)
    for number in range(20):
        bucket.put(f"in/more {number}.pdf", tiny(f"more {number}"))
    text = bucket.crawl.path.read_text()
    bucket.crawl.path.write_text(text.replace("[crawl]\n", "[crawl]\nmax_documents = 4\n"))
    assert bucket.crawl.report()["waiting"]
    assert bucket.waiting() == (20, 0)
    bucket.crawl.path.write_text(text)
    bucket.crawl.report()
    assert len(bucket.documents()) == 25
    assert bucket.waiting() == (0, 0)


def test_an_archive_that_an_event_names_is_listed_anew(s3_server: S3Server, tmp_path: Path) -> None:
    bucket = Bucket(
        s3_server, tmp_path, {"in/a.tar": archive(one=tiny("one"), two=tiny("two")), "in/b.tar": archive(x=tiny("x"))}, source="in/*.tar"
    )
    assert bucket.crawl.report()["plan"] == {"new": 3}
    bucket.put("in/a.tar", archive(one=tiny("one"), three=tiny("three")))
    plan = bucket.crawl.report()["plan"]
    assert (plan["gone"], plan["new"]) == (1, 1)
    assert sorted(re.findall(r"\w+\.pdf", " ".join(bucket.documents()))) == ["one.pdf", "three.pdf", "x.pdf"]


def test_what_is_no_event_stays_in_the_queue(s3_server: S3Server, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    bucket = Bucket(s3_server, tmp_path, {"in/a.pdf": tiny("a")})
    bucket.crawl.report()
    bucket.sqs.send_message(QueueUrl=bucket.queue, MessageBody="hush \x1b[31m")
    assert bucket.crawl.report()["exit_code"] == 0
    assert "1 messages are no events of S3 and stay" in caplog.text
    assert "hush" not in caplog.text
    assert sum(bucket.waiting()) == 1


def test_a_queue_that_is_not_there_is_said(s3_server: S3Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bucket = Bucket(s3_server, tmp_path, {"in/a.pdf": tiny("a")})
    bucket.crawl.path.write_text(bucket.crawl.path.read_text().replace(bucket.queue, f"{bucket.queue}-no"))
    assert command.run([str(bucket.crawl.path)]) == 2
    assert f"{bucket.queue}-no: " in capsys.readouterr().err
    with pytest.raises(SourceError):
        list(receive("http://127.0.0.1:9/queue"))


def test_forms_of_messages() -> None:
    record = {"Records": [{"s3": {"bucket": {"name": "b"}, "object": {"key": "in/%C3%BC.pdf"}}}]}
    bridge = {"detail-type": "Object Deleted", "detail": {"bucket": {"name": "b"}, "object": {"key": "in/a+b%20.pdf"}}}
    assert addresses(json.dumps(record)) == ("s3://b/in/ü.pdf",)
    assert addresses(json.dumps({"Type": "Notification", "Message": json.dumps(record)})) == ("s3://b/in/ü.pdf",)
    assert addresses(json.dumps(bridge)) == ("s3://b/in/a+b%20.pdf",)
    assert addresses('{"Service": "Amazon S3", "Event": "s3:TestEvent"}') == ()
    assert {addresses(each) for each in ("", "[]", "7", "{}", '{"Records": 7}', '{"Message": 3}', '{"detail": {}}')} == {None}
