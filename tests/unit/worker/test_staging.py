"""What of a hostile tarball reaches the disk, and under which names."""

import io
import tarfile
from pathlib import Path

import httpx
import pytest

from workers.scanner.config import Limits
from workers.scanner.model import Job, ScanFailed
from workers.scanner.staging import download, stage

LIMITS = Limits(download_bytes=10_000, unpacked_bytes=1_000_000, files=5, file_bytes=1_000, download_seconds=30)
TOP = "acme-tools-1234567"


def job(skill_path: str = "skills/pdf/SKILL.md") -> Job:
    return Job(
        job_id="0198d1a2-0000-7000-8000-000000000000",
        provider="semgrep",
        owner="acme",
        repo="tools",
        commit_sha="a" * 40,
        content_hash="b" * 64,
        skill_path=skill_path,
        callback_url="https://skills.example/hook",
    )


def tarball(folder: Path, *members: tuple[str, bytes] | tarfile.TarInfo) -> Path:
    path = folder / "repository.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        for member in members:
            if isinstance(member, tarfile.TarInfo):
                archive.addfile(member)
                continue
            info = tarfile.TarInfo(f"{TOP}/{member[0]}")
            info.size = len(member[1])
            archive.addfile(info, io.BytesIO(member[1]))
    return path


SKILL_MD = ("skills/pdf/SKILL.md", b"# PDF\n")


def test_files_of_the_skill_are_written_under_neutral_names(tmp_path: Path) -> None:
    packed = tarball(
        tmp_path,
        SKILL_MD,
        ("skills/pdf/node_modules/a.min.js", b"x"),
        ("skills/pdf/bin/run", b"#!/usr/bin/env python3\nx"),
        ("skills/other/b.py", b"x"),
    )

    staged = stage(packed, job(), tmp_path / "files", LIMITS)

    assert staged.paths == {
        "00001.md": "skills/pdf/SKILL.md",
        "00002.js": "skills/pdf/node_modules/a.min.js",
        "00003.py": "skills/pdf/bin/run",
    }
    assert sorted(path.name for path in (tmp_path / "files").iterdir()) == sorted(staged.paths)
    assert staged.original("/anywhere/files/00002.js") == "skills/pdf/node_modules/a.min.js"


def test_a_skill_at_the_root_is_the_whole_repository(tmp_path: Path) -> None:
    packed = tarball(tmp_path, ("SKILL.md", b"# x"), ("a/b.py", b"x"))

    assert set(stage(packed, job("SKILL.md"), tmp_path / "files", LIMITS).paths.values()) == {"SKILL.md", "a/b.py"}


def test_paths_out_of_the_folder_write_nothing_outside(tmp_path: Path) -> None:
    packed = tarball(tmp_path, SKILL_MD, ("skills/pdf/../../../../escaped.py", b"x"))
    absolute = tarfile.TarInfo("/skills/pdf/absolute.py")

    staged = stage(packed, job(), tmp_path / "files", LIMITS)

    assert absolute.name not in staged.paths.values()
    assert {path.name for path in tmp_path.rglob("*") if path.is_file()} == {
        "repository.tar.gz", "00001.md", "00002.py",
    }  # fmt: skip


def test_links_and_special_files_are_listed_and_not_made(tmp_path: Path) -> None:
    link = tarfile.TarInfo(f"{TOP}/skills/pdf/passwords")
    link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
    device = tarfile.TarInfo(f"{TOP}/skills/pdf/disk")
    device.type = tarfile.BLKTYPE

    staged = stage(tarball(tmp_path, SKILL_MD, link, device), job(), tmp_path / "files", LIMITS)

    assert staged.skipped == [("skills/pdf/passwords", "link"), ("skills/pdf/disk", "special file")]
    assert list(staged.paths) == ["00001.md"]


def test_a_file_that_is_too_large_is_listed_and_left_out(tmp_path: Path) -> None:
    staged = stage(tarball(tmp_path, SKILL_MD, ("skills/pdf/big.py", b"x" * 1_001)), job(), tmp_path / "files", LIMITS)

    assert staged.skipped == [("skills/pdf/big.py", "too large")] and staged.total == 2


def test_comments_that_silence_scanners_are_blanked_without_moving_anything(tmp_path: Path) -> None:
    code = b"a = 1  # nosemgrep\nb()  // njsscan-ignore: x\nc  # NOSEM trufflehog:ignore\n"
    packed = tarball(tmp_path, SKILL_MD, ("skills/pdf/a.py", code))

    stage(packed, job(), tmp_path / "files", LIMITS)

    written = (tmp_path / "files" / "00002.py").read_bytes()
    assert len(written) == len(code) and written.count(b"\n") == 3
    assert not any(word in written.lower() for word in (b"nosem", b"njsscan-ignore", b"trufflehog:ignore"))


@pytest.mark.parametrize(
    ("members", "code"),
    [
        ([SKILL_MD, *[(f"skills/pdf/{n}.py", b"x") for n in range(6)]], "too_many_files"),
        ([SKILL_MD, ("elsewhere.bin", b"\0" * 1_100_000)], "repository_too_large"),
        ([("README.md", b"x")], "skill_not_found"),
    ],
)
def test_what_goes_over_a_limit_fails_the_job_with_a_reason(
    tmp_path: Path, members: list[tuple[str, bytes]], code: str
) -> None:
    with pytest.raises(ScanFailed) as failed:
        stage(tarball(tmp_path, *members), job(), tmp_path / "files", LIMITS)
    assert failed.value.code == code


@pytest.mark.parametrize("content", [b"", b"not gzip", b"\x1f\x8b\x08\x00half"])
def test_what_is_no_tarball_fails_the_job(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "repository.tar.gz"
    path.write_bytes(content)

    with pytest.raises(ScanFailed):
        stage(path, job(), tmp_path / "files", LIMITS)


def client(answer: httpx.Response | None = None, location: str = "https://codeload.github.com/x") -> httpx.Client:
    def handle(request: httpx.Request) -> httpx.Response:
        assert "authorization" not in request.headers
        if request.url.host == "api.github.com":
            return httpx.Response(302, headers={"location": location})
        return answer or httpx.Response(200, stream=httpx.ByteStream(b"packed"))

    return httpx.Client(transport=httpx.MockTransport(handle))


def test_the_commit_is_downloaded_without_credentials(tmp_path: Path) -> None:
    with client() as github:
        download(github, "https://api.github.com", job(), tmp_path / "t", LIMITS)

    assert (tmp_path / "t").read_bytes() == b"packed"


def test_a_redirect_to_another_host_is_not_followed(tmp_path: Path) -> None:
    with client(location="https://169.254.169.254/latest") as github, pytest.raises(ScanFailed, match="host"):
        download(github, "https://api.github.com", job(), tmp_path / "t", LIMITS)


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (httpx.Response(404), "repository_gone"),
        (httpx.Response(200, stream=httpx.ByteStream(b"x" * 10_001)), "repository_too_large"),
    ],
)
def test_a_download_that_cannot_be_used_says_why(tmp_path: Path, answer: httpx.Response, code: str) -> None:
    with client(answer) as github, pytest.raises(ScanFailed) as failed:
        download(github, "https://api.github.com", job(), tmp_path / "t", LIMITS)
    assert failed.value.code == code
