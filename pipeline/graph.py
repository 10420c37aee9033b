"""The whole road, in the order data flows: the place to start reading."""

from __future__ import annotations

import apache_beam as beam

from schemas.records import DocumentRef
from transforms import describe_documents, read_documents, structure_pages
from transforms.describe_documents import DescribeDocuments
from transforms.measure_fonts import MeasureFonts
from transforms.read_documents import ReadDocuments
from transforms.read_pages import ReadPages
from transforms.settings import JobSettings
from transforms.structure_pages import StructurePages
from transforms.write_tables import WriteTables


def index_documents(documents: beam.PCollection[DocumentRef], settings: JobSettings) -> beam.PCollection[str]:
    """Document references to the addresses of the Parquet parts written."""
    read = documents | "ReadDocuments" >> ReadDocuments(settings.read)
    further_pages = read[read_documents.RANGES] | "ReadPages" >> ReadPages(settings.read)
    pages = (read[read_documents.PAGES], further_pages) | "Pages" >> beam.Flatten()
    statistics = pages | "MeasureFonts" >> MeasureFonts()
    sides = {"readings": read[read_documents.FACTS], "statistics": statistics, "pages": pages}
    described = sides | "DescribeDocuments" >> DescribeDocuments(settings)
    styled = {"pages": pages, "styles": described[describe_documents.STYLES]}
    structured = styled | "StructurePages" >> StructurePages(settings.layout)
    tables = {
        "documents": described[describe_documents.ROWS],
        "pages": structured[structure_pages.PAGES],
        "blocks": structured[structure_pages.BLOCKS],
        "assets": read[read_documents.ASSETS],
    }
    return tables | "WriteTables" >> WriteTables(settings.write)
