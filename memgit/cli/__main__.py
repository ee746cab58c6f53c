"""`python -m memgit.cli`, for where the executable is not on the PATH."""

import sys

from memgit.cli.main import main

sys.exit(main())
