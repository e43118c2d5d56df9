"""The limits of one upload.

The organiser chooses how large it may be, with the site's setting ``upload_kilobytes``; the values
here are that setting's default and what no setting changes.
"""

from __future__ import annotations

DEFAULT_UPLOAD_KILOBYTES = 8192
"""The site's ``upload_kilobytes``, unless the organiser chooses another."""
MAX_UPLOAD_KILOBYTES = 65536
"""The most that the organiser can choose."""
MAX_UPLOAD_BODY_BYTES = MAX_UPLOAD_KILOBYTES << 10
"""The most bytes of an upload's request, before the site's own limit is checked."""
MAX_UNPACKED_RATIO = 8
"""How many times the upload limit the unpacked files may have."""
MAX_BUNDLE_FILES = 500
"""The most files of one bot."""
MAX_REPOSITORY_MEGABYTES = 64
"""The most that the organiser can choose for a bot's repository: a row of a backup can hold it."""
