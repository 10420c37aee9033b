"""What the sample documents say."""

from __future__ import annotations

PAPER_TITLE = "Finding a Sentence Again: On Searching Archives of Printed Pages"
PAPER_AUTHORS = "Ada Merriweather and Tomás Okonjo"
PAPER_PLACE = "Institute for Document Studies, Halden"
PAPER_FOOTNOTE = "1. The letters were lent by the harbour office, which asked that the names of living persons be left out."
PAPER_CAPTION = (
    "Figure 1. Share of questions answered on the first page of results, by what was indexed: whole files, pages, or paragraphs."
)
PAPER_ABSTRACT = """An archive that cannot be searched is a warehouse. We look at what happens between a printed page and the
answer to a question, and find that most of what is lost is lost before the search engine sees a word: columns are read
across, running heads are taken for sentences, and words broken at the end of a line are never joined again. On a
collection of four thousand letters and reports we compare three ways of cutting a document into what is indexed. Pages
do better than whole files, and paragraphs that know their headings do better than pages."""

PAPER: list[tuple[str, list[str]]] = [
    (
        "1 Introduction",
        [
            """Whoever has looked for a remembered sentence in a shelf of binders knows the odd certainty that comes with it: the
            sentence was on a left-hand page, near the bottom, under a heading about the weather. Readers remember places. Search
            engines, on the other hand, remember words, and they remember them without any place at all unless somebody took care to
            keep it.""",
            """The documents of an office are kept as PDF, a format that was made to put ink on paper in the same way everywhere. It says
            where each letter stands; it does not have to say which letters make a word, which lines make a paragraph, or that the line
            at the top of each page is the name of the chapter. All of this must be found again from the geometry of the page.<super>1</super>""",
            """This paper reports how much depends on that step. We do not propose a new ranking function. We change only what the engine is
            given, and we ask how often a person who knows that an answer exists can find it.""",
        ],
    ),
    (
        "2 The collection",
        [
            """Our collection holds 4,112 documents from three offices: minutes of meetings, inspection reports, and a correspondence
            that begins in 1987. About a tenth are scans without any text. Two hundred are encrypted with a password that was
            written on a note inside the first binder, which is where such passwords are usually kept.""",
            """Half of the reports are set in two columns. The letters have one column, wide margins, and a date that matters more than any
            other word on the page. We counted 61 documents that no program would open; all but four of them could be repaired, because the
            damage was at the end of the file and the pages before it were whole.""",
        ],
    ),
    (
        "3 Method",
        [
            """For each document we made three indexes. The first holds one entry per file. The second holds one entry per page, with the
            page number, so that an answer can be opened where it stands. The third holds one entry per paragraph, and each entry
            carries the headings above it.""",
            """Forty members of staff wrote down five questions each whose answer they had seen in the past year. They were asked to write the
            question as they would say it to a colleague. A question counts as answered when the right page is among the first ten
            results. Nobody was told which index they were using.""",
        ],
    ),
    (
        "4 Results",
        [
            """Whole files answered 41 of 100 questions, pages 63, and paragraphs with their headings 78. Most of the difference between the
            first two is explained by length: a report of ninety pages contains nearly every word of the office's vocabulary, and so it
            is a middling answer to everything. The difference between pages and paragraphs comes from headings. A paragraph that says
            "the tests were repeated in spring" is useless on its own; under the heading "Bridge 14, bearings" it is an answer.""",
            """Running heads did more harm than we expected. In the page index the words "Annual Report" stood on 2,300 pages, and a question
            about the annual report found all of them. Leaving the running heads out of the text moved eleven questions from the second
            page of results to the first.""",
            """Broken words were the smallest effect and the most annoying one. Of the words that stand at the end of a line in our two-column
            reports, one in nine is broken, and the longer and rarer a word is, the more often it breaks. These are the words people search
            for. Joining them repaired every question that had failed for this reason, and there were seven.""",
        ],
    ),
    (
        "5 Conclusion",
        [
            """The cheapest improvement to a search engine is to tell it the truth about the page. What a reader sees as one paragraph
            should be one entry, in the order in which it would be read aloud, with its headings and its place. None of this needs a model
            of language; it needs patience with geometry.""",
        ],
    ),
]

PAPER_REFERENCES = [
    "[1] R. Halvorsen. <i>Shelves and Sentences.</i> Fjord Press, 2011.",
    "[2] M. Ito and P. Castellan. Reading order in two-column reports. In <i>Proceedings of the Workshop on Office Archives</i>, pages 14-22, 2016.",
    "[3] Harbour Office of Halden. <i>Rules for the Keeping of Letters.</i> Internal circular 7, 1987.",
]

REPORT_TITLE = "The Archive in Numbers"
REPORT_SUBTITLE = "Annual report of the municipal archive"
REPORT: list[tuple[str, list[tuple[str, list[str]]]]] = [
    (
        "1 Summary",
        [
            (
                "",
                [
                    """The archive took in 1,840 boxes this year, more than in any year since the move to the new building. Reading-room visits
                    fell slightly while questions by letter and form rose by a third; most of those who write want one page, and they
                    describe it well. This report tells what came in, what was asked, and what we intend to do about the part of the
                    collection that nobody can search.""",
                    """Three things stand out. First, the scanning of the building files is finished. Second, the catalogue now answers
                    questions that used to need a visit. Third, one file in eleven is still a picture of a page and not a text, and we know
                    nothing about its contents beyond its title.""",
                ],
            )
        ],
    ),
    (
        "2 Holdings",
        [
            (
                "2.1 What came in",
                [
                    """Nearly half of the new boxes came from the department of roads, which gave up its own basement in March. They hold
                    drawings, contracts and the inspection books of 212 bridges. The drawings are large and brittle and were flattened before they
                    were scanned; the contracts were in good order, apart from the coffee.""",
                    """The schools sent registers from 1921 onwards. Because they name children who may still be alive, they are closed for
                    a hundred years, and their scans are kept under a password that two people know. We mention this here because every year
                    somebody asks why the search finds the registers but does not open them.""",
                ],
            ),
            (
                "2.2 What it takes up",
                [
                    """Shelves are measured in metres and files in bytes, and neither says much about the work. The table gives both, together with the
                    number of pages, which is the figure that decides how long anything takes. A page costs about a third of a minute to
                    scan, a few thousandths of a second to index, and between one and ninety minutes to read.""",
                ],
            ),
        ],
    ),
    (
        "3 Questions",
        [
            (
                "3.1 Who asks",
                [
                    """Of the 6,310 questions of this year, two thirds came from people outside the city. Historians ask about years, lawyers ask about
                    signatures, and families ask about names. Engineers ask about bridges, mostly after rain. The staff keep a list of what they are
                    asked most often:""",
                ],
            ),
            (
                "3.2 How long they wait",
                [
                    """A question that the catalogue can answer is answered on the same day. A question that needs a box is answered within a week.
                    The rest, about four hundred, waited longer than a month, and for almost all of them the reason was the same: the answer
                    was known to be in a certain series, but the series had been scanned without text, and somebody had to turn the
                    pages on a screen one after another, as one would turn them in a reading room, only with worse light.""",
                    """We have begun to mark such series in the catalogue, so that those who ask can see at once why it takes long. The mark is a
                    simple one. A page is marked when it shows writing and yields no words. Machines are good at this test, and it costs almost
                    nothing once the pages are being read anyway.""",
                ],
            ),
        ],
    ),
    (
        "4 Plans",
        [
            (
                "4.1 Text for the silent pages",
                [
                    """In the coming year the 190,000 pages that are marked as silent will be given text. The order follows the questions, not the
                    shelves: series that were asked for most come first. The recognised text will be kept beside the image and never in place of
                    it, because a machine that reads a seven for a one should not have the last word about a date.""",
                ],
            ),
            (
                "4.2 A search that knows pages",
                [
                    """The present search finds files. Next year it shall find pages, and show the paragraph with the headings that stand above it, so
                    that a person can judge an answer without opening it. Trials with the bridge books were encouraging. An inspector found a
                    remark of 1968 about a bearing in eleven seconds; the same remark had taken her predecessor two days.""",
                    """The work needs no new machines. It needs one night to read the whole collection, and after that a few minutes each
                    night for what has changed. Files that cannot be read are listed in the morning with the reason, because a file that
                    is silently missing is worse than one that is loudly broken.""",
                ],
            ),
        ],
    ),
]
REPORT_TABLE = [
    ["Series", "Boxes", "Metres", "Pages", "Size (GB)"],
    ["Roads and bridges", "870", "104.4", "412,000", "1,310"],
    ["Schools", "410", "49.2", "178,500", "205"],
    ["Council minutes", "96", "11.5", "61,200", "38"],
    ["Building files", "338", "40.6", "240,900", "566"],
    ["Letters and estates", "126", "15.1", "33,400", "41"],
]
REPORT_TABLE_CAPTION = "Table 1. What came in this year, by series."
REPORT_LIST = [
    "where a house stood before the street was widened;",
    "when a bridge was last inspected, and by whom;",
    "whether a grandfather went to school in the city;",
    "what the council decided about the swimming pool, and why it took nine years.",
]

LETTER_SENDER = ["Harbour Office", "Quay Street 4", "3015 Halden"]
LETTER_TO = ["Ms Ingrid Sørensen", "Library of the Naval School", "Fjällgatan 23", "Göteborg"]
LETTER_DATE = "17 March 2024"
LETTER_SUBJECT = "Your question about the lighthouse keeper’s log of 1931"
LETTER = [
    "Dear Ms Sørensen,",
    """Thank you for your letter of 2 March. The log you are looking for exists. It was kept by Jens Åkerblom, who tended the light
    on the outer skerry from 1926 until it was made automatic, and who wrote down the weather, the ships, and the price of paraffin
    with the same care.""",
    """The entry for the night of 8 November 1931 fills three pages. He notes a gale from the south-west, a steamer without lights, and,
    at a quarter past four, “a sound like a door”. I believe this is the passage you remember. A copy is enclosed; the original is too
    fragile to travel, but you would be welcome to see it here on any weekday after nine o’clock.""",
    """May I ask a favour in return? Our volume for 1932 is missing, and it was last lent to your school. If it should stand on one
    of your shelves, we would be glad to have it back, and no questions will be asked about the ninety-two years.""",
    "With kind regards,",
    "Marit Dahl",
    "Keeper of the records",
]
SECRET = """This page can be read by those who know the password, which is not written on it. It tells where the key to the map room
hangs: behind the clock, on the second nail, where it has hung since the map room was given a lock."""
