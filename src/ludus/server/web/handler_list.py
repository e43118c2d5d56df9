"""All handlers of accounts, bots, contests and administration."""

from ludus.server.accounts import account_routes, notice_routes, roster_routes, team_routes
from ludus.server.admin import admin_routes
from ludus.server.bots import bot_routes, mistake_routes
from ludus.server.contests import (
    challenge_routes,
    class_contest_routes,
    contest_routes,
    ladder_routes,
    profile_routes,
    turning_point_routes,
)
from ludus.server.courses import assignment_routes, submission_routes
from ludus.server.git import git_routes
from ludus.server.integrity import integrity_routes
from ludus.server.live import change_sockets
from ludus.server.mail import mail_routes
from ludus.server.posts import post_routes
from ludus.server.seminars import seminar_routes

PARTS = (
    account_routes,
    team_routes,
    roster_routes,
    bot_routes,
    mistake_routes,
    git_routes,
    ladder_routes,
    challenge_routes,
    notice_routes,
    contest_routes,
    class_contest_routes,
    turning_point_routes,
    profile_routes,
    assignment_routes,
    submission_routes,
    post_routes,
    mail_routes,
    admin_routes,
    integrity_routes,
    seminar_routes,
)
API_HANDLERS = [handler for part in PARTS for handler in part.HANDLERS]
"""Under ``/api``."""
SOCKET_HANDLERS = [*change_sockets.HANDLERS, *seminar_routes.SOCKET_HANDLERS]
"""Under ``/ws``."""
