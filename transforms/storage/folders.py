"""Delete whole folders, and exchange local folders in one step."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import shutil
from collections.abc import Callable, Collection
from functools import cache
from pathlib import Path
from typing import Final

from pdfmill.transforms.storage.addresses import PathAddress, local_uri
from pdfmill.transforms.storage.local import UNFINISHED
from pdfmill.transforms.storage.objects import delete_file, list_files
from pdfmill.transforms.storage.store import parse

#: renameat2(2) of Linux: exchange two names in one step.
_EXCHANGE: Final = 2
_AT_FDCWD: Final = -100
#: Ends the name of an old folder while it waits for its new place.
_ASIDE: Final = ".old"
#: What a file system without that answers.
_CANNOT: Final = frozenset({errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EXDEV, errno.EPERM})


def delete_folder(uri: str) -> None:
    """Delete a folder with all that is in it; one that is not there is no error.

    Raises:
        pdfmill.transforms.storage.errors.SourceError: an object of a store cannot be deleted.
        OSError: a local file cannot.
    """
    address = parse(uri)
    if isinstance(address, PathAddress):
        with contextlib.suppress(FileNotFoundError):
            shutil.rmtree(address.key)
        return
    for each in list_files(uri, ""):
        delete_file(each)


def drop_empty(uri: str) -> None:
    """Remove a local folder if it is empty; only disks have empty folders."""
    address = parse(uri)
    if isinstance(address, PathAddress):
        with contextlib.suppress(OSError):  # it is not empty, or not there
            os.rmdir(address.key)


def can_replace(new_uri: str, uri: str) -> bool:
    """True if one folder can replace another in one step: both are real folders on one disk. new_uri: where the new one will be made."""
    old = parse(uri)
    return isinstance(old, PathAddress) and not os.path.islink(old.key) and on_one_disk(new_uri, uri)


def on_one_disk(one_uri: str, other_uri: str) -> bool:
    """Return whether a file can move between the two addresses without being copied by this process; stores copy by themselves."""
    one, other = parse(one_uri), parse(other_uri)
    return not isinstance(one, PathAddress) or _device(one.key) == _device(other.key)


def _device(path: str) -> int:
    """Return the device of the folder, or of its nearest existing parent."""
    there = next(each for each in (Path(path), *Path(path).parents) if each.exists())
    return there.stat().st_dev


def replace_folder(new_uri: str, uri: str) -> None:
    """Exchange a folder with a new one, which takes its name. One step on Linux (renameat2 on ext4, xfs, btrfs, tmpfs, overlayfs);
    elsewhere two renames, between which no folder has that name.

    Raises:
        OSError: the file system does not take it.
    """
    new, old = parse(new_uri).key, parse(uri).key
    aside = f"{new}{_ASIDE}"
    if os.path.isdir(old) and not _exchange(new, old):
        os.rename(old, aside)
    if os.path.isdir(new) and not os.path.isdir(old):
        os.rename(new, old)
    if os.path.isdir(aside):
        os.rename(aside, new)


@cache
def _renameat2() -> Callable[..., int] | None:
    return getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)


def _exchange(one: str, other: str) -> bool:
    """Exchange two names; False if this system cannot."""
    call = _renameat2()
    if call is None:
        return False
    if call(_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), _EXCHANGE) == 0:
        return True
    code = ctypes.get_errno()
    if code not in _CANNOT:
        raise OSError(code, os.strerror(code), other)
    return False


def names_in(uri: str) -> set[str]:
    """Return the names in a local folder, of files and folders; none if there is no such folder."""
    at = parse(uri)
    return set(os.listdir(at.key)) if isinstance(at, PathAddress) and os.path.isdir(at.key) else set()


def give_back(old_uri: str, uri: str, ours: Collection[str]) -> list[str]:
    """Empty a folder that was replaced: files with our names are deleted, all others move to the new folder.

    Returns:
        Addresses of what could not move because the new folder has something of that name; it stays where it is.
    """
    old, new = parse(old_uri).key, parse(uri).key
    if os.path.isdir(f"{old}{_ASIDE}"):  # `replace_folder` was killed before its last step
        os.rename(f"{old}{_ASIDE}", old)
    left = []
    for name in sorted(names_in(old_uri)):
        path, target = os.path.join(old, name), os.path.join(new, name)
        if name in ours or name.startswith(UNFINISHED):
            os.unlink(path)
        elif os.path.lexists(target):
            left.append(local_uri(path))
        else:
            os.rename(path, target)
    drop_empty(old_uri)
    return left


def delete_unfinished(uri: str) -> None:
    """Delete incomplete files that killed processes left in a local folder; stores write objects whole."""
    for name in sorted(names_in(uri)):
        if name.startswith(UNFINISHED):
            delete_file(parse(uri).below(name).uri)
