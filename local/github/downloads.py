"""What GitHub serves from hosts of their own: tarballs (codeload) and raw files. Neither costs API requests."""

import gzip
import io
import tarfile
from urllib.parse import quote

from local.github import objects
from local.github.answers import ApiError, Call, not_found
from local.github.history import Commit, File
from local.github.repository import DEFAULT_BRANCH, Repository
from local.github.repository_api import require_commit
from local.servers.http_server import Response

SHORT = 7


def redirect_to_tarball(call: Call, owner: str, name: str, ref: str = DEFAULT_BRANCH) -> Response:
    repository = call.repository(owner, name)
    if repository.head is None or repository.resolve(ref) is None:
        raise not_found()
    location = f"{call.base_url}/codeload/{repository.full_name}/legacy.tar.gz/{quote(ref)}"
    return Response(302, b"", {"Location": location, "Cache-Control": "no-store"})


def download_tarball(call: Call, owner: str, name: str, ref: str) -> Response:
    repository = call.repository(owner, name)
    commit = require_commit(repository, ref)
    folder = f"{repository.owner}-{repository.name}-{commit.sha[:SHORT]}"
    headers = {
        "Content-Type": "application/x-gzip",
        "Content-Disposition": f"attachment; filename={folder}.tar.gz",
        "ETag": f'W/"{commit.sha}"',
    }
    # As on GitHub, the length is not known before the end.
    return Response(200, _tarball(call, commit, folder), headers, chunked=True)


def download_raw(call: Call, owner: str, name: str, rest: str) -> Response:
    try:
        repository = call.repository(owner, name)
    except ApiError as error:
        return _renamed_raw(call, owner, name, rest) if error.status == 301 else _no_raw_file()
    found = _split_ref(repository, rest)
    if found is None:
        return _no_raw_file()
    path, file = found
    headers = {
        "Content-Type": "text/plain; charset=utf-8",
        "ETag": f'"{file.sha}"',
        "Cache-Control": "max-age=300",
        "X-Content-Type-Options": "nosniff",
    }
    return Response(200, call.catalogue.read(path, file), headers)


def _split_ref(repository: Repository, rest: str) -> tuple[str, File] | None:
    """The file behind `<ref>/<path>`, where the ref may be written `refs/heads/<branch>`."""
    full_branch = f"refs/heads/{DEFAULT_BRANCH}/"
    ref, path = (DEFAULT_BRANCH, rest.removeprefix(full_branch)) if rest.startswith(full_branch) else _halves(rest)
    commit = repository.resolve(ref)
    file = commit.files.get(path) if commit else None
    return None if file is None or file.mode == objects.SUBMODULE else (path, file)


def _halves(rest: str) -> tuple[str, str]:
    ref, _, path = rest.partition("/")
    return ref, path


def _renamed_raw(call: Call, owner: str, name: str, rest: str) -> Response:
    repository = call.catalogue.find(owner, name)
    assert repository is not None and repository.metadata.renamed_to is not None
    location = f"{call.base_url}/raw/{repository.metadata.renamed_to}/{quote(rest)}"
    return Response(301, b"", {"Location": location})


def _no_raw_file() -> Response:
    return Response(404, b"404: Not Found", {"Content-Type": "text/plain; charset=utf-8"})


def _tarball(call: Call, commit: Commit, folder: str) -> bytes:
    unpacked = io.BytesIO()
    mtime = int(commit.date.timestamp())
    # Like `git archive`: the commit's id is a comment in the global header.
    with tarfile.open(
        fileobj=unpacked, mode="w", format=tarfile.PAX_FORMAT, pax_headers={"comment": commit.sha}
    ) as archive:
        for directory in sorted(commit.trees):
            archive.addfile(_directory_member(f"{folder}/{directory}".rstrip("/"), mtime))
        for path, file in commit.files.items():
            member = f"{folder}/{path}"
            if file.mode == objects.SUBMODULE:
                archive.addfile(_directory_member(member, mtime))
            else:
                _add_file(archive, member, mtime, file, call.catalogue.read(path, file))
    return gzip.compress(unpacked.getvalue(), compresslevel=6, mtime=0)


def _directory_member(path: str, mtime: int) -> tarfile.TarInfo:
    info = tarfile.TarInfo(path)
    info.type, info.mode, info.mtime = tarfile.DIRTYPE, 0o775, mtime
    return info


def _add_file(archive: tarfile.TarFile, path: str, mtime: int, file: File, content: bytes) -> None:
    info = tarfile.TarInfo(path)
    info.mtime = mtime
    info.mode = 0o775 if file.mode == objects.EXECUTABLE else 0o664
    if file.mode == objects.SYMLINK:
        info.type, info.linkname = tarfile.SYMTYPE, content.decode("utf-8", "surrogateescape")
        archive.addfile(info)
    else:
        info.size = len(content)
        archive.addfile(info, io.BytesIO(content))
