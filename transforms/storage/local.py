"""The store of files on a local or mounted disk."""

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


#: The flag RENAME_EXCHANGE of renameat2(2) on Linux, which exchanges two names atomically.
_EXCHANGE: Final = 2
_AT_FDCWD: Final = -100
#: Suffix of the temporary name of a replaced folder while the new folder is renamed.
_ASIDE: Final = ".old"
#: Errors of file systems that cannot exchange names.
_CANNOT: Final = frozenset({errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EXDEV, errno.EPERM})


def delete_folder(uri: str) -> None:
    """Delete a folder, local or in a store, with all its contents; a missing folder is no error.

    Raises:
        pdfmill.transforms.storage.errors.SourceError: an object in a store cannot be deleted.
        OSError: a local file cannot be deleted.
    """
    address = parse(uri)
    if isinstance(address, PathAddress):
        with contextlib.suppress(FileNotFoundError):
            shutil.rmtree(address.key)
        return
    for each in list_files(uri, ""):
        delete_file(each)


def drop_empty(uri: str) -> None:
    """Remove a local folder if it is empty. For a store do nothing, because stores have no empty folders."""
    address = parse(uri)
    if isinstance(address, PathAddress):
        with contextlib.suppress(OSError):  # it is not empty, or not there
            os.rmdir(address.key)


def can_replace(new_uri: str, uri: str) -> bool:
    """Return whether renaming can put the folder `new_uri` in place of the folder `uri`: both are on one disk, and neither is a link."""
    old = parse(uri)
    return isinstance(old, PathAddress) and not os.path.islink(old.key) and on_one_disk(new_uri, uri)


def on_one_disk(one_uri: str, other_uri: str) -> bool:
    """Return whether a file can be moved between the two addresses without copying its bytes here: on one disk, or within a store."""
    one, other = parse(one_uri), parse(other_uri)
    return not isinstance(one, PathAddress) or _device(one.key) == _device(other.key)


def _device(path: str) -> int:
    there = next(each for each in (Path(path), *Path(path).parents) if each.exists())
    return there.stat().st_dev


def replace_folder(new_uri: str, uri: str) -> None:
    """Exchange the names of the folder `uri` and of its replacement `new_uri`. This is atomic on Linux (renameat2 on ext4, xfs, btrfs,
    tmpfs, overlayfs); elsewhere it takes two renames, and between them no folder has the name `uri`.

    Raises:
        OSError: the file system refuses to rename.
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
    """Exchange the names of two files or folders; return False if the operating system does not support it."""
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
    """Return the names of files and folders in a local folder; an empty set if there is no such folder."""
    at = parse(uri)
    return set(os.listdir(at.key)) if isinstance(at, PathAddress) and os.path.isdir(at.key) else set()


def give_back(old_uri: str, uri: str, ours: Collection[str]) -> list[str]:
    """Empty the folder `old_uri`, which the folder `uri` has replaced: delete the files of pdfmill (`ours`), and move all others to `uri`.
    Return the addresses of files that were not moved, because `uri` has such a file or folder."""
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
    """Delete incomplete files that killed processes left in a local folder. Stores never show incomplete objects."""
    for name in sorted(names_in(uri)):
        if name.startswith(UNFINISHED):
            delete_file(parse(uri).below(name).uri)


#: (device, inode) of a folder. A folder that occurs again below itself is reached by a link in a circle.
_FolderId = tuple[int, int]


def list_objects(at: Address) -> Iterator[DocumentRef]:
    """Yield the file, or the documents in the folder, or the matches of the glob, in order of name, folder by folder.
    Symbolic links are followed, unless they lead in a circle. Raises SourceError if nothing has that name or matches. For a folder or file
    below that cannot be read, a reference with the `failure` is yielded."""
    path = at.key
    if os.path.lexists(path) or not has_glob(path):
        info = _stat(path)
        listed = _documents(path) if stat.S_ISDIR(info.st_mode) else iter((_reference(path),))
        yield from _some(listed, f"{path}: the folder contains no file named {', '.join('*' + suffix for suffix in SUFFIXES)}")
    else:
        yield from _some(_matching(path), f"{path}: no file matches this pattern")


def read(at: Address, ref: DocumentRef, max_bytes: int | None) -> bytes:
    """Return the bytes of the version listed as `ref`. Raises SourceError: changed, too_large (over `max_bytes`), and others.
    smart_open is not used, because it imports the clients of all stores, which takes 0.3 s and 30 MB."""
    path = at.key
    info = _stat(path)
    if not stat.S_ISREG(info.st_mode):
        raise SourceError("bad_source", f"{path}: is not a regular file")
    check_limit(ref, info.st_size, max_bytes)
    check_same(ref, ref.size, info.st_size)
    check_same(ref, ref.modified, _modified(info))
    try:
        with open(path, "rb") as file:
            return read_all(file, ref if ref.size is not None else found(ref.uri, size=info.st_size), max_bytes, trusted=True)
    except OSError as error:
        raise _as_source_error(path, error) from error


def open_stream(at: Address, offset: int, length: int) -> BinaryIO:
    """Open the file at `offset`. The length is ignored, since bytes that are not read cost nothing. Raises SourceError."""
    try:
        file = open(at.key, "rb")  # noqa: SIM115 - the caller closes it
        file.seek(offset)
    except OSError as error:
        raise _as_source_error(at.key, error) from error
    return file


def open_file(at: Address, ref: DocumentRef) -> BinaryIO:
    """Open the file. ref: not used. Raises SourceError."""
    return open_stream(at, 0, -1)


#: Prefix of the name of a file that is being written.
UNFINISHED: Final = ".writing-"


def write(at: Address, data: bytes, *, new: bool) -> None:
    """Write to a temporary file beside the target, flush it to disk, then rename it, which is atomic. Raises SourceError.
    new: raise AlreadyExistsError if there is a file of that name; the temporary file is then linked, not renamed."""
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
    """Rename the file, which is atomic; folders are created. Raises SourceError, also if the target is on another file system."""
    try:
        os.makedirs(os.path.dirname(to.key), exist_ok=True)
        os.replace(at.key, to.key)
        for folder in sorted({os.path.dirname(at.key), os.path.dirname(to.key)}):
            _sync_folder(folder)
    except OSError as error:
        raise _as_source_error(at.key, error) from error


def delete(at: Address) -> None:
    """Delete the file; a missing one is no error. Raises SourceError."""
    try:
        Path(at.key).unlink(missing_ok=True)
    except (OSError, ValueError) as error:
        raise _as_source_error(at.key, error) from error


def names(at: Address, suffix: str) -> Iterator[str]:
    """Yield the URIs of the files below a folder whose names end with `suffix`; nothing if there is no such folder. Raises SourceError."""
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
    """Yield the files that match a glob. Before its first `**` only matching folders are listed, below it all folders."""
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
    """Yield the folders below `base` that match `patterns`, one for each level. For a folder that cannot be listed, a reference with the
    `failure` is yielded."""
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
    """Yield the paths of all files in a folder at any depth, in order of name; for folders that cannot be read, a reference with the
    `failure`.
    above: the folders that contain this one."""
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
    """Return the reference to the file of this name. Raises SourceError if there is none."""
    return _look_up(at.key)


def _look_up(path: str) -> DocumentRef:
    info = _stat(path)
    if not stat.S_ISREG(info.st_mode):
        raise SourceError("bad_source", f"{path}: is neither a regular file nor a folder")
    return found(local_uri(path), size=info.st_size, modified=_modified(info))


def _reference(path: str) -> DocumentRef:
    try:
        return _look_up(path)
    except SourceError as error:
        return failed(local_uri(path), error)


def _modified(info: os.stat_result) -> datetime:
    """Return the time of the last change, rounded to microseconds as in the tables."""
    return datetime.fromtimestamp(info.st_mtime_ns // 1000 / 1e6, UTC)


def _stat(path: str) -> os.stat_result:
    try:
        return os.stat(path)
    except (OSError, ValueError) as error:
        raise _as_source_error(path, error) from error


def _as_source_error(path: str, error: OSError | ValueError) -> SourceError:
    reason = (isinstance(error, OSError) and error.strerror) or str(error)
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        link = " (it is a broken link)" if os.path.islink(path) else ""
        return SourceError("not_found", f"{path}: {reason}{link}")
    if isinstance(error, PermissionError):
        return SourceError("permission_denied", f"{path}: {reason}")
    if isinstance(error, ValueError) or error.errno in (errno.ENAMETOOLONG, errno.ELOOP):
        return SourceError("bad_source", f"{path}: {reason}")
    return SourceError("store_error", f"{path}: {reason}")


def _umask() -> int:
    """Return the process's umask. The system call that returns it also sets it, so the old value is set again."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


def _sync_folder(folder: str) -> None:
    """Flush a folder to disk, so that a rename survives a power failure, if the file system can do so."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
    finally:
        os.close(handle)
