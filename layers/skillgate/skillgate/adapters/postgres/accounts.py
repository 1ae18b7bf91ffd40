"""Accounts, sessions and API tokens in Postgres, and what belongs to an account."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from skillgate import sql
from skillgate.adapters.postgres.connections import Connections
from skillgate.domain.ids import new_id
from skillgate.ports import Account, ApiToken, GitHubUser, OwnSkill

END_OF_TIME = (datetime(9999, 1, 1, tzinfo=UTC), "ffffffff-ffff-ffff-ffff-ffffffffffff")
_Q = sql.queries("accounts")
# When a token was used is good to know to the minute, and not worth a write for every call.
_USE_NOTED_EVERY = timedelta(minutes=1)


class PostgresAccounts:
    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def sign_in(self, user: GitHubUser, at: datetime) -> Account:
        values = {"id": new_id(), "github_id": user.id, "login": user.login, "at": at}
        with self._connections.transaction() as connection:
            connection.execute(_Q["free_login"], values)
            row = connection.execute(_Q["sign_in"], values).fetchone()
            assert row is not None  # an upsert always returns its row
            connection.execute(_Q["forget_old_sessions"], {"account_id": row["id"], "at": at})
        return _account(row)

    # --- sessions -----------------------------------------------------------------------------------------------

    def start_session(
        self, account_id: str, *, family: str, token_hash: str, at: datetime, expires_at: datetime
    ) -> None:
        self._run(
            "start_session", account_id=account_id, family=family, token_hash=token_hash, at=at, expires_at=expires_at
        )

    def rotate_session(self, old_hash: str, new_hash: str, at: datetime) -> Account | None:
        """None if the old token is unknown, used, ended or expired."""
        rows = self._run("rotate_session", old_hash=old_hash, new_hash=new_hash, at=at)
        return _account(rows[0]) if rows else None

    def end_reused_family(self, token_hash: str, at: datetime) -> int:
        """Ends every session of the family if this token had been used before; how many that were."""
        return len(self._run("end_reused_family", token_hash=token_hash, at=at))

    def end_session(self, token_hash: str, at: datetime) -> int:
        return len(self._run("end_session", token_hash=token_hash, at=at))

    def end_all_sessions(self, account_id: str, at: datetime) -> int:
        return len({row["family"] for row in self._run("end_all_sessions", account_id=account_id, at=at)})

    # --- API tokens ---------------------------------------------------------------------------------------------

    def add_token(self, account_id: str, token: ApiToken, token_hash: str, *, at_most: int) -> bool:
        """False if the account has that many already. The account's row makes two at once take turns."""
        values = {
            "id": token.id,
            "name": token.name,
            "scopes": list(token.scopes),
            "created_at": token.created_at,
            "expires_at": token.expires_at,
            "account_id": account_id,
            "token_hash": token_hash,
            "at_most": at_most,
        }
        with self._connections.transaction() as connection:
            connection.execute(_Q["lock_account"], {"account_id": account_id})
            return connection.execute(_Q["add_token"], values).fetchone() is not None

    def tokens(self, account_id: str, at: datetime) -> list[ApiToken]:
        return [_token(row) for row in self._run("tokens", account_id=account_id, at=at)]

    def revoke_token(self, account_id: str, token_id: str, at: datetime) -> bool:
        return bool(self._run("revoke_token", account_id=account_id, id=token_id, at=at))

    def use_token(self, token_hash: str, at: datetime) -> tuple[Account, ApiToken] | None:
        """Whose token it is, if it is one; notes that it was used."""
        with self._connections.transaction() as connection:
            row = connection.execute(_Q["token"], {"token_hash": token_hash, "at": at}).fetchone()
            if row is None:
                return None
            if row["last_used_at"] is None or at - row["last_used_at"] > _USE_NOTED_EVERY:
                connection.execute(_Q["token_used"], {"id": row["token_id"], "at": at})
        return _account(row), _token(row | {"id": row["token_id"], "created_at": row["token_created_at"]})

    # --- what belongs to an account -----------------------------------------------------------------------------

    def submissions_of(
        self, account_id: str, login: str, *, after: tuple[datetime, str] | None, limit: int
    ) -> list[tuple[datetime, str]]:
        at, id_ = after or END_OF_TIME
        rows = self._run("submissions_of", account_id=account_id, login=login, after_at=at, after_id=id_, limit=limit)
        return [(row["created_at"], str(row["id"])) for row in rows]

    def skills_of(self, login: str, *, after: str, limit: int) -> list[OwnSkill]:
        return [OwnSkill(**row) for row in self._run("skills_of", login=login, after=after, limit=limit)]

    def withdraw_skill(self, skill_id: str, *, reason: str, at: datetime) -> bool:
        """False if there is no such skill, or it was removed before."""
        return bool(self._run("withdraw_skill", skill_id=skill_id, reason=reason, at=at))

    def _run(self, name: str, /, **parameters: Any) -> list[dict[str, Any]]:
        with self._connections.transaction() as connection:
            cursor = connection.execute(_Q[name], parameters)
            return cursor.fetchall() if cursor.description else []


def _account(row: Mapping[str, Any]) -> Account:
    return Account(str(row["id"]), row["github_id"], row["login"], row["created_at"])


def _token(row: Mapping[str, Any]) -> ApiToken:
    return ApiToken(
        id=str(row["id"]),
        name=row["name"],
        scopes=tuple(row["scopes"]),
        created_at=row["created_at"],
        expires_at=row["expires_at"],
        last_used_at=row["last_used_at"],
    )
