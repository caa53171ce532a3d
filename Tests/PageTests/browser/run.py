"""Runs the tests of the page in a browser: `python3 run.py [--address URL] [names …]`."""

import harness
import test_charts  # noqa: F401

harness.run()
