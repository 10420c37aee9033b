"""Files on a local (or mounted) disk."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Collection, Iterator
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import BinaryIO, Final

from pdfmill.schemas.records import DocumentRef
from pdfmill.transforms.storage.addresses import Address, PathAddress, failed, found, glob_regex, has_glob, local_uri
from pdfmill.transforms.storage.errors import AlreadyExistsError, SourceError
from pdfmill.transforms.storage.objects import delete_file, list_files
from pdfmill.transforms.storage.settings import SUFFIXES
from pdfmill.transforms.storage.store import parse
from pdfmill.transforms.storage.streams import check_limit, check_same, read_all

# Delete whole folders, and exchange local folders in one step.


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
    """Return whether one folder can replace another in one step: both are real folders on one disk. new_uri: where the new one will be
    made."""
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


#: What stands for a folder on the way down; one seen again below itself is a link in a circle.
_FolderId = tuple[int, int]


def list_objects(at: Address) -> Iterator[DocumentRef]:
    """Yield the file, the folder's documents, or the matches of the glob, in order of name, folder by folder.

    Links are followed, circles of links are not. Raises SourceError when there is nothing of that name; a folder or file inside
    that cannot be read is a reference with its failure.
    """
    path = at.key
    if os.path.lexists(path) or not has_glob(path):
        info = _stat(path)
        listed = _documents(path) if stat.S_ISDIR(info.st_mode) else iter((_reference(path),))
        yield from _some(listed, f"{path}: the folder holds no file named {', '.join('*' + suffix for suffix in SUFFIXES)}")
    else:
        yield from _some(_matching(path), f"{path}: no file matches")


def read(at: Address, ref: DocumentRef, max_bytes: int | None) -> bytes:
    """The file's bytes, if size and time are as listed. Raises SourceError.

    smart_open opens local files with `io.open` and nothing else; done here without it, because importing it imports every store's
    client: 0.3 s and 30 MB in each process.
    """
    path = at.key
    info = _stat(path)
    if not stat.S_ISREG(info.st_mode):
        raise SourceError("bad_source", f"{path}: not a regular file")
    check_limit(ref, info.st_size, max_bytes)
    check_same(ref, ref.size, info.st_size)
    check_same(ref, ref.modified, _modified(info))
    try:
        with open(path, "rb") as file:
            return read_all(file, ref if ref.size is not None else found(ref.uri, size=info.st_size), max_bytes, trusted=True)
    except OSError as error:
        raise _as_source_error(path, error) from error


def open_stream(at: Address, offset: int, length: int) -> BinaryIO:
    """Open the file at `offset`. The length is ignored, since an unread rest of a file costs nothing."""
    try:
        file = open(at.key, "rb")  # noqa: SIM115 - the caller closes it
        file.seek(offset)
    except OSError as error:
        raise _as_source_error(at.key, error) from error
    return file


def open_file(at: Address, ref: DocumentRef) -> BinaryIO:
    """Open the file. Raises SourceError."""
    return open_stream(at, 0, -1)


#: How the name of a file begins that is not whole yet.
UNFINISHED: Final = ".writing-"


def write(at: Address, data: bytes, *, new: bool) -> None:
    """Write to a temporary file beside the target, flush to disk, then rename, which POSIX does completely or not at all. Raises
    SourceError.

    new: link instead, which fails where there is a file (AlreadyExistsError).
    """
    path, folder = at.key, os.path.dirname(at.key)
    try:
        os.makedirs(folder, exist_ok=True)
        handle, temporary = tempfile.mkstemp(prefix=UNFINISHED, dir=folder)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.chmod(temporary, 0o666 & ~_umask())
            if new:
                _link(temporary, path)
            else:
                os.replace(temporary, path)
        except BaseException:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(temporary)
            raise
        _sync_folder(folder)
    except OSError as error:
        raise _as_source_error(path, error) from error


def _link(temporary: str, path: str) -> None:
    try:
        os.link(temporary, path)
    except FileExistsError as error:
        raise AlreadyExistsError(local_uri(path)) from error
    os.unlink(temporary)


def move(at: Address, to: Address) -> None:
    """Rename the file, which POSIX does completely or not at all; folders are made. Raises SourceError, also between file systems."""
    try:
        os.makedirs(os.path.dirname(to.key), exist_ok=True)
        os.replace(at.key, to.key)
        for folder in sorted({os.path.dirname(at.key), os.path.dirname(to.key)}):
            _sync_folder(folder)
    except OSError as error:
        raise _as_source_error(at.key, error) from error


def delete(at: Address) -> None:
    """Delete the file; one that is not there is no error. Raises SourceError."""
    try:
        Path(at.key).unlink(missing_ok=True)
    except (OSError, ValueError) as error:
        raise _as_source_error(at.key, error) from error


def names(at: Address, suffix: str) -> Iterator[str]:
    """Yield the uris of the files below a folder whose names end with `suffix`; none when there is no such folder. Raises SourceError."""
    if not os.path.isdir(at.key):
        return
    for entry in _walk(at.key):
        if isinstance(entry, DocumentRef):
            raise SourceError("store_error", entry.failure.message if entry.failure else entry.uri)
        if entry.endswith(suffix):
            yield local_uri(entry)


def _some(refs: Iterator[DocumentRef], otherwise: str) -> Iterator[DocumentRef]:
    empty = True
    for ref in refs:
        empty = False
        yield ref
    if empty:
        raise SourceError("not_found", otherwise)


def _documents(folder: str) -> Iterator[DocumentRef]:
    for entry in _walk(folder):
        if isinstance(entry, DocumentRef):
            yield entry
        elif entry.lower().endswith(SUFFIXES):
            yield _reference(entry)


def _matching(pattern: str) -> Iterator[DocumentRef]:
    """Yield the files that match a glob: folders level by level up to a `**`, then everything below by its path."""
    levels = pattern.strip("/").split("/")
    deep = "**" in levels
    fixed = levels.index("**") if deep else len(levels) - 1
    regex = glob_regex("/".join(levels[fixed:]))
    for folder in _folders("/", levels[:fixed]):
        if isinstance(folder, DocumentRef):
            yield folder
            continue
        for entry in _walk(folder) if deep else _files_in(folder):
            if isinstance(entry, DocumentRef):
                yield entry
            elif regex.fullmatch(os.path.relpath(entry, folder)):
                yield _reference(entry)


def _folders(base: str, patterns: list[str]) -> Iterator[str | DocumentRef]:
    """Yield the folders below `base` that match, one pattern a level; one that cannot be listed is a reference with its failure."""
    if not patterns:
        yield base
        return
    first, rest = patterns[0], patterns[1:]
    for path in [os.path.join(base, first)] if not has_glob(first) else _entries(base):
        if isinstance(path, DocumentRef):
            yield path
        elif os.path.isdir(path) and glob_regex(first).fullmatch(os.path.basename(path)):
            yield from _folders(path, rest)


def _walk(folder: str, above: tuple[_FolderId, ...] = ()) -> Iterator[str | DocumentRef]:
    """Yield the paths of everything but folders, at any depth, in order of name; a folder that cannot be read is a reference with its
    failure.
    """
    inside = (*above, _folder_id(folder))
    for entry in _entries(folder):
        if isinstance(entry, DocumentRef) or not os.path.isdir(entry):
            yield entry
        elif _folder_id(entry) not in inside:
            yield from _walk(entry, inside)


def _files_in(folder: str) -> Iterator[str | DocumentRef]:
    return (entry for entry in _entries(folder) if isinstance(entry, DocumentRef) or not os.path.isdir(entry))


def _entries(folder: str) -> Iterator[str | DocumentRef]:
    try:
        entries = sorted(os.listdir(folder))
    except OSError as error:
        yield failed(local_uri(folder), _as_source_error(folder, error))
        return
    yield from (os.path.join(folder, name) for name in entries)


def _folder_id(path: str) -> _FolderId:
    info = _stat(path)
    return (info.st_dev, info.st_ino)


def head(at: Address) -> DocumentRef:
    """Return the file of this name. Raises SourceError, also if there is none, since the reason says more than None."""
    return _look_up(at.key)


def _look_up(path: str) -> DocumentRef:
    info = _stat(path)
    if not stat.S_ISREG(info.st_mode):
        raise SourceError("bad_source", f"{path}: neither a regular file nor a folder")
    return found(local_uri(path), size=info.st_size, modified=_modified(info))


def _reference(path: str) -> DocumentRef:
    try:
        return _look_up(path)
    except SourceError as error:
        return failed(local_uri(path), error)


def _modified(info: os.stat_result) -> datetime:
    """Return the time of last change to the microsecond, as the table keeps it."""
    return datetime.fromtimestamp(info.st_mtime_ns // 1000 / 1e6, UTC)


def _stat(path: str) -> os.stat_result:
    try:
        return os.stat(path)
    except (OSError, ValueError) as error:
        raise _as_source_error(path, error) from error


def _as_source_error(path: str, error: OSError | ValueError) -> SourceError:
    reason = (isinstance(error, OSError) and error.strerror) or str(error)
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        link = " (a link to nothing)" if os.path.islink(path) else ""
        return SourceError("not_found", f"{path}: {reason}{link}")
    if isinstance(error, PermissionError):
        return SourceError("permission_denied", f"{path}: {reason}")
    if isinstance(error, ValueError) or error.errno in (errno.ENAMETOOLONG, errno.ELOOP):
        return SourceError("bad_source", f"{path}: {reason}")
    return SourceError("store_error", f"{path}: {reason}")


def _umask() -> int:
    """Return the process's umask, which can only be read by setting it."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


def _sync_folder(folder: str) -> None:
    """Flush a folder to disk, so that a rename survives a power cut. Some file systems cannot and say EINVAL."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
    finally:
        os.close(handle)
