"""Runs the browser tests of the page: `python3 run.py [--address URL] [names …]`.

Without an address each test uses a stand-in for the server. With the address that `hrgate page` printed, only
the tests that work with any server run, and with `--facts` the ones that need the real server. Playwright and
axe-playwright-python come from PyPI, the browser is Debian's chromium-headless-shell."""

import harness
import test_accessibility  # noqa: F401
import test_adding  # noqa: F401
import test_ages  # noqa: F401
import test_calendar  # noqa: F401
import test_categories  # noqa: F401
import test_charts  # noqa: F401
import test_comparing  # noqa: F401
import test_data  # noqa: F401
import test_days  # noqa: F401
import test_deleting  # noqa: F401
import test_hostile  # noqa: F401
import test_entries  # noqa: F401
import test_explanations  # noqa: F401
import test_findings  # noqa: F401
import test_fresh  # noqa: F401
import test_harness  # noqa: F401
import test_live  # noqa: F401
import test_lock  # noqa: F401
import test_mixed  # noqa: F401
import test_ongoing  # noqa: F401
import test_parts  # noqa: F401
import test_pressures  # noqa: F401
import test_saved  # noqa: F401
import test_served  # noqa: F401
import test_sessions  # noqa: F401
import test_sleep  # noqa: F401
import test_tachogram  # noqa: F401
import test_tasks  # noqa: F401
import test_transfer  # noqa: F401
import test_units  # noqa: F401
import test_widths  # noqa: F401
import test_words  # noqa: F401
import test_zones  # noqa: F401

harness.run()
