"""Code that people were given: starter kits, and what teachers hand out."""

from __future__ import annotations

from functools import lru_cache

import sqlalchemy as sql
from sqlalchemy.orm import Session

from ludus.games.base import Game
from ludus.scheduling.schema import BaseCodeRow, GroupRow
from ludus.server.accounts import groups, name_rules
from ludus.server.accounts.identity import Identity
from ludus.server.admin import audit
from ludus.server.bots import similarity, starter_kits
from ludus.server.bots.upload import Bundle, Files, unpack_files
from ludus.server.integrity.integrity_schemas import BaseCodeInfo
from ludus.server.web.errors import Conflict, not_found
from ludus.timestamps import now

MAX_BASE_CODES = 20
"""Of one game and one class."""


def collect_base_runs(session: Session, identity: Identity, game: Game) -> frozenset[int]:
    """The runs of tokens that do not count: of the starter kits, and of code that was handed out
    to everybody or in the classes of this person."""
    runs = set(_kit_runs(game))
    for row in session.scalars(_visible(identity, game.name)):
        given = similarity.fingerprint_packed(row.data)
        runs.update(given.runs if given else ())
    return frozenset(runs)


@lru_cache(maxsize=64)
def _kit_runs(game: Game) -> frozenset[int]:
    return frozenset(similarity.fingerprint_files(_read_kits(game)).runs)


def _read_kits(game: Game) -> Files:
    return {
        f"kits/{language}-{number}/{name}": text.encode()
        for language in ("en", "zh")
        for number, kit in enumerate(starter_kits.list_kits(game, language).languages)
        for name, text in kit.template.items()
    }


def read_base_files(session: Session, identity: Identity, game: Game) -> Files:
    """All given code of a game that this person may see, and the starter kits."""
    files = _read_kits(game)
    for row in session.scalars(_visible(identity, game.name)):
        files |= {f"given-{row.id}/{name}": data for name, data in unpack_files(row.data).items()}
    return files


def _visible(identity: Identity, game: str) -> sql.Select[BaseCodeRow]:
    query = sql.select(BaseCodeRow).where(BaseCodeRow.game == game).order_by(BaseCodeRow.id)
    if identity.organiser:
        return query
    mine = BaseCodeRow.group_id.in_(identity.teaching)
    return query.where(sql.or_(BaseCodeRow.group_id.is_(None), mine))


def list_base_code(session: Session, identity: Identity, game: str) -> list[BaseCodeInfo]:
    rows = session.scalars(_visible(identity, game)).all()
    names = dict(
        session.execute(
            sql.select(GroupRow.id, GroupRow.name).where(
                GroupRow.id.in_({row.group_id for row in rows if row.group_id is not None})
            )
        ).all()
    )
    return [_describe(row, names) for row in rows]


def add_base_code(
    session: Session,
    identity: Identity,
    game: str,
    group_id: int | None,
    title: str,
    bundle: Bundle,
) -> BaseCodeInfo:
    """Store code that a class was given; for all people only by the organiser."""
    if group_id is None:
        identity.require_organiser()
    else:
        identity.require_teacher_of(group_id)
    group = None if group_id is None else groups.get_group_in_use(session, group_id)
    same = sql.select(sql.func.count(BaseCodeRow.id)).where(
        BaseCodeRow.game == game, BaseCodeRow.group_id.is_not_distinct_from(group_id)
    )
    if (session.scalar(same) or 0) >= MAX_BASE_CODES:
        raise Conflict(
            f"at most {MAX_BASE_CODES} pieces of given code for a game and a class",
            f"每个班级每种游戏最多 {MAX_BASE_CODES} 份下发代码",
            code="limit_reached",
        )
    row = BaseCodeRow(
        game=game,
        group_id=group_id,
        title=name_rules.check_title(title),
        data=bundle.data,
        user_id=identity.id,
        created_at=now(),
    )
    session.add(row)
    session.flush()
    audit.log_action(session, identity, "given code added", game=game, title=row.title)
    return _describe(row, {group.id: group.name} if group else {})


def delete_base_code(session: Session, identity: Identity, id: int) -> None:
    row = session.get(BaseCodeRow, id)
    if row is None or not (
        identity.organiser or (row.group_id is not None and identity.teaches(row.group_id))
    ):
        raise not_found("given code", "下发代码")
    if row.group_id is not None:
        groups.get_group_in_use(session, row.group_id)
    session.delete(row)
    audit.log_action(session, identity, "given code deleted", game=row.game, title=row.title)


def _describe(row: BaseCodeRow, names: dict[int, str]) -> BaseCodeInfo:
    return BaseCodeInfo(
        id=row.id,
        game=row.game,
        title=row.title,
        class_id=row.group_id,
        class_name=names.get(row.group_id or 0, ""),
        at=row.created_at,
        files=len(unpack_files(row.data)),
    )
