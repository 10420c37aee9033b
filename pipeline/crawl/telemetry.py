"""Send the report of a run once as OpenTelemetry metrics, over OTLP (HTTP, protobuf), to the collector that the standard environment
variables name (OTEL_EXPORTER_OTLP_ENDPOINT and the like)."""

from __future__ import annotations

from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader, MetricExportResult
from opentelemetry.sdk.resources import Resource

from pdfmill.pipeline.crawl.report import RunReport, gauges
from pdfmill.schemas.version import version


def send_metrics(report: RunReport) -> bool:
    """Send the metrics, with retries for at most OTEL_EXPORTER_OTLP_TIMEOUT; return whether a collector accepted them."""
    reader = InMemoryMetricReader()
    provider = MeterProvider([reader], resource=Resource.create({"service.name": "pdfmill", "service.version": version()}))
    meter = provider.get_meter("pdfmill.crawl", version())
    for each in gauges(report):
        gauge = meter.create_gauge(f"pdfmill.crawl.{each.name}", description=each.sentence)
        for value, number in each.values.items():
            gauge.set(number, {each.label: value} if each.label else None)
    exporter = OTLPMetricExporter()
    data = reader.get_metrics_data()
    try:
        return data is not None and exporter.export(data) is MetricExportResult.SUCCESS
    finally:
        exporter.shutdown()
        provider.shutdown()
