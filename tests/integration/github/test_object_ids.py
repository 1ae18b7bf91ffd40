"""The ids are git's own: the same files in a real git repository get the same ids."""

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from local.github import objects
from local.github.catalogue import Catalogue
from local.github.history import Commit

SUBMODULE_SHA = "1234567890abcdef1234567890abcdef12345678"
IDENTITY = {
    f"GIT_{role}_{field}": value
    for role in ("AUTHOR", "COMMITTER")
    for field, value in (("NAME", objects.AUTHOR_NAME), ("EMAIL", objects.AUTHOR_EMAIL))
}


def git(folder: Path, *arguments: str, stdin: bytes = b"", **environment: str) -> str:
    # A repository of its own, whatever the machine's or the user's settings for git are.
    isolated = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "PATH": os.environ["PATH"]}
    done = subprocess.run(
        ["git", *arguments], cwd=folder, input=stdin, env={**isolated, **environment}, capture_output=True, check=True
    )
    return done.stdout.decode().strip()


@pytest.fixture
def served(tmp_path: Path) -> Path:
    """A folder as the stand-in serves it: nested, with names whose order git has its own mind about."""
    folder = tmp_path / "served" / "acme" / "tools"
    files = {
        "a.txt": b"a file that sorts before the directory a",
        "a/inner.txt": b"inner",
        "a-b": b"sorts between",
        "deep/er/still/SKILL.md": b"---\nname: still\n---\n",
        "run.sh": b"#!/bin/sh\n",
        "bytes.bin": bytes(range(256)),
        "empty": b"",
        "\u00fcml\u00e4ut \u2603.md": b"snow",
    }
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    (folder / "run.sh").chmod(0o755)
    (folder / "link").symlink_to("a/inner.txt")
    (folder.parent / "tools.yaml").write_text(
        f"submodules: {{vendor/other: {{url: 'https://github.com/acme/other.git', sha: {SUBMODULE_SHA}}}}}\n"
    )
    return tmp_path / "served"


@pytest.fixture
def real(served: Path) -> Path:
    folder = served / "acme" / "tools"
    git(folder, "init", "--quiet", "--initial-branch=main")
    git(folder, "add", "--all")
    git(folder, "update-index", "--add", "--cacheinfo", f"160000,{SUBMODULE_SHA},vendor/other")
    return folder


def head_of(catalogue: Catalogue) -> Commit:
    repository = catalogue.find("acme", "tools")
    assert repository is not None and repository.head is not None
    return repository.head


def test_every_file_and_directory_has_the_id_that_git_gives_it(served: Path, real: Path) -> None:
    tree = git(real, "write-tree")
    listing = git(real, "-c", "core.quotePath=off", "ls-tree", "-r", "-t", tree)
    in_git = {path: tuple(info.split()) for info, path in (line.split("\t") for line in listing.splitlines())}

    head = head_of(Catalogue(served))

    assert head.tree == tree
    directories = {path: (objects.DIRECTORY, "tree", sha) for path, sha in head.trees.items() if path != objects.ROOT}
    kinds = {objects.SUBMODULE: "commit"}
    files = {path: (file.mode, kinds.get(file.mode, "blob"), file.sha) for path, file in head.files.items()}
    assert directories | files == in_git


def test_commits_have_the_ids_that_git_gives_them(served: Path, real: Path) -> None:
    catalogue = Catalogue(served)
    first = head_of(catalogue)
    (real / "a.txt").write_text("changed")
    second = head_of(catalogue)

    def commit_tree(commit: Commit, *parent: str) -> str:
        date = f"{int(commit.date.timestamp())} +0000"
        dates = {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
        return git(real, "commit-tree", tree, *parent, "-F", "-", stdin=commit.message.encode(), **IDENTITY, **dates)

    tree = git(real, "write-tree")
    assert first.sha == commit_tree(first)
    git(real, "add", "a.txt")
    tree = git(real, "write-tree")
    assert second.sha == commit_tree(second, "-p", first.sha)


def test_a_blob_has_the_id_of_git_hash_object(tmp_path: Path) -> None:
    content = b"\r\n\0 any bytes \xff"
    assert objects.blob_id(content) == git(tmp_path, "hash-object", "--stdin", "--no-filters", stdin=content)


@given(st.dictionaries(st.text("ab.-/0", min_size=1, max_size=6), st.just((objects.FILE, objects.blob_id(b"")))))
def test_every_directory_above_a_file_gets_an_id(files: dict[str, tuple[str, str]]) -> None:
    usable = {path: file for path, file in files.items() if "" not in path.split("/")}
    assert set(objects.tree_ids(usable)) == {objects.ROOT}.union(*(objects.ancestors(path) for path in usable))
