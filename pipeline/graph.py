"""The whole road, in the order data flows: the place to start reading."""

from __future__ import annotations

import apache_beam as beam

from schemas.records import DocumentRef
from transforms import describe_documents, measure_pages, read_documents, structure_pages
from transforms.describe_documents import DescribeDocuments
from transforms.measure_pages import MeasurePages
from transforms.read_documents import ReadDocuments
from transforms.read_pages import ReadPages
from transforms.settings import JobSettings
from transforms.structure_pages import StructurePages
from transforms.write_tables import WriteTables


def index_documents(documents: beam.PCollection[DocumentRef], settings: JobSettings) -> beam.PCollection[str]:
    """Document references to the addresses of the Parquet parts written."""
    read = documents | "ReadDocuments" >> ReadDocuments(settings.read)
    first = read[read_documents.PAGES] | "MeasureFirstPages" >> MeasurePages()
    further = read[read_documents.RANGES] | "ReadPages" >> ReadPages(settings.read) | "MeasureFurtherPages" >> MeasurePages()
    said = {"readings": read[read_documents.FACTS], "first": first[measure_pages.MEASURES], "further": further[measure_pages.MEASURES]}
    described = said | "DescribeDocuments" >> DescribeDocuments(settings)
    styled = {"first": first[measure_pages.LINES], "further": further[measure_pages.LINES], "styles": described[describe_documents.STYLES]}
    structured = styled | "StructurePages" >> StructurePages(settings.layout)
    tables = {
        "documents": described[describe_documents.ROWS],
        "pages": structured[structure_pages.PAGES],
        "blocks": structured[structure_pages.BLOCKS],
        "assets": read[read_documents.ASSETS],
    }
    return tables | "WriteTables" >> WriteTables(settings.write)
