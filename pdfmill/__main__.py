from pdfmill.pipeline.cli.main import main

raise SystemExit(main())
