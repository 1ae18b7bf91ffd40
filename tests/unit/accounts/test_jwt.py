"""Access tokens: what is ours holds, and every way to make one up does not."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from skillgate.domain.errors import Unauthenticated
from skillgate.services.accounts import jwt

NOW = datetime(2026, 1, 1, 12, 0, tzinfo=UTC)
KEY, OTHER = "k" * 40, "o" * 40
AUDIENCE = "skillgate-api"


def signed(**changes: Any) -> str:
    options: dict[str, Any] = {"audience": AUDIENCE, "now": NOW, "seconds": 600} | changes
    return jwt.sign({"sub": "a"}, [KEY], **options)


def encoded(value: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


def forged(header: dict[str, Any], claims: dict[str, Any], key: str, digest: str = "sha256") -> str:
    text = f"{encoded(header)}.{encoded(claims)}"
    signature = hmac.digest(key.encode(), text.encode(), digest) if key else b""
    return f"{text}.{base64.urlsafe_b64encode(signature).rstrip(b'=').decode()}"


def parts(token: str) -> tuple[dict[str, Any], dict[str, Any]]:
    header, claims = (json.loads(base64.urlsafe_b64decode(part + "==")) for part in token.split(".")[:2])
    return header, claims


def refused(token: str, keys: list[str] | None = None, now: datetime = NOW, audience: str = AUDIENCE) -> bool:
    with pytest.raises(Unauthenticated) as error:
        jwt.verify(token, keys or [KEY], audience=audience, now=now)
    return error.value.code == "invalid_token"


def test_a_token_of_ours_gives_its_claims_back() -> None:
    claims = jwt.verify(signed(), [KEY], audience=AUDIENCE, now=NOW + timedelta(seconds=599))
    assert claims["sub"] == "a" and claims["iss"] == jwt.ISSUER


def test_it_is_valid_from_its_time_until_its_time() -> None:
    assert refused(signed(), now=NOW + timedelta(seconds=600))
    assert refused(signed(), now=NOW - timedelta(seconds=1))


def test_it_is_good_for_its_audience_only() -> None:
    assert refused(signed(), audience="skillgate-sign-in")


def test_another_issuer_is_refused() -> None:
    header, claims = parts(signed())
    assert refused(forged(header, claims | {"iss": "somebody"}, KEY))


@pytest.mark.parametrize("name", ["none", "None", "NONE", "", None, "HS512", "RS256"])
def test_the_algorithm_is_not_the_token_s_to_choose(name: str | None) -> None:
    header, claims = parts(signed())
    assert refused(forged(header | {"alg": name}, claims, KEY))
    assert refused(forged(header | {"alg": name}, claims, ""))


def test_a_longer_digest_with_the_right_key_is_refused() -> None:
    header, claims = parts(signed())
    assert refused(forged(header | {"alg": "HS512"}, claims, KEY, "sha512"))


def test_what_is_public_is_no_key() -> None:
    """Key confusion: the key's id travels in every token, and an attacker may sign with it."""
    header, claims = parts(signed())
    for key in (header["kid"], "", jwt.ISSUER, AUDIENCE):
        assert refused(forged(header, claims, key or "x"))


@pytest.mark.parametrize("kid", [None, "", "unknown", 7, ["a"], "../../dev/null"])
def test_a_key_id_that_we_do_not_have_is_refused(kid: Any) -> None:
    header, claims = parts(signed())
    assert refused(forged(header | {"kid": kid}, claims, KEY))


def test_changed_claims_are_refused() -> None:
    header, claims = parts(signed())
    signature = signed().rpartition(".")[2]
    assert refused(f"{encoded(header)}.{encoded(claims | {'role': 'SUPER_ADMIN'})}.{signature}")


def test_a_second_spelling_of_the_signature_is_refused() -> None:
    token = signed()
    for other in (f"{token}=", f"{token}==", token[:-1] + chr(ord(token[-1]) ^ 1), token.replace("-", "+")):
        if other != token:
            assert refused(other)


def test_keys_rotate_the_first_signs_and_all_of_them_verify() -> None:
    old = signed()
    assert jwt.verify(old, [OTHER, KEY], audience=AUDIENCE, now=NOW)["sub"] == "a"
    new = jwt.sign({"sub": "b"}, [OTHER, KEY], audience=AUDIENCE, now=NOW, seconds=60)
    assert jwt.verify(new, [OTHER], audience=AUDIENCE, now=NOW)["sub"] == "b"
    assert refused(old, keys=[OTHER])


def test_the_key_s_id_does_not_give_the_key_away() -> None:
    kid = parts(signed())[0]["kid"]
    assert kid not in KEY and kid not in hashlib.sha256(KEY.encode()).hexdigest()


@pytest.mark.parametrize(
    "token",
    [
        *("", ".", "..", "a.b.c", "a.b", "é.é.é", "eyJhbGciOiJIUzI1NiJ9..", "x" * 5000),
        *(f"{encoded([])}.{encoded({})}.x", f"{encoded({})}.{encoded([])}.x", f"{encoded({'alg': 'HS256'})}.e30.x"),
        f"{base64.urlsafe_b64encode(b'[' * 2000).decode()}.e30.x",
    ],
)
def test_what_is_no_token_is_refused_and_crashes_nothing(token: str) -> None:
    assert refused(token)


@pytest.mark.parametrize("claim", ["exp", "nbf", "aud", "iss"])
@pytest.mark.parametrize("value", [None, "later", [], {}])
def test_a_claim_that_is_missing_or_of_another_type_is_refused(claim: str, value: Any) -> None:
    header, claims = parts(signed())
    assert refused(forged(header, claims | {claim: value}, KEY))
    del claims[claim]
    assert refused(forged(header, claims, KEY))
