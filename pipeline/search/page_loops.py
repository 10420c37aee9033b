"""What is counted place by place in the text of a page that a query may find: where its words stand, and where they stand closest.

Compiled by Cython with the types of `page_loops.pxd`, and run as it stands where nothing is compiled. What judges stands in `rank.py`.
"""

from __future__ import annotations

from array import array


def places_of(folded: str, term: str, is_bound: bool, is_prefix: bool, most: int) -> list[int]:
    """Where a term stands in a folded text: start and end of each place, one after the other; no more than so many places.

    is_bound: it is a word, no part of one. is_prefix: the word may go on, and then the place does.
    """
    found: list[int] = []
    length, size = len(folded), len(term)
    at = folded.find(term)
    while at >= 0 and most > 0:
        end = at + size
        if not is_bound or ((at == 0 or not folded[at - 1].isalnum()) and (is_prefix or end == length or not folded[end].isalnum())):
            if is_prefix and is_bound:
                while end < length and folded[end].isalnum():
                    end += 1
            found.append(at)
            found.append(end)
            most -= 1
        at = folded.find(term, end)
    return found


def closest(places: list[list[int]], weights: list[float], window: int, rounding: float) -> tuple[float, int]:
    """Weight of the words in the best passage, less the longer it is; its start.

    places: of each word, as `places_of` gives them. window: characters that a passage may span. rounding: what sums of the same weights in
    another order differ by at most, below 0.
    """
    count = len(places)
    total, words = 0, 0
    for number in range(count):
        own = places[number]
        total += len(own)
        words += len(own) > 0
    total //= 2
    heads, seen, counts = _numbers(count), _numbers(count), _numbers(count)
    begins, ends, owners = _numbers(total), _numbers(total), _numbers(total)
    for at in range(total):  # all places in their order
        owner, first, last = -1, 0, 0
        for number in range(count):
            own = places[number]
            head = heads[number]
            if head < len(own):
                start, end = own[head], own[head + 1]
                if owner < 0 or start < first or (start == first and end < last):
                    owner, first, last = number, start, end
        heads[owner] += 2
        begins[at], ends[at], owners[at] = first, last, owner
    best, first, ahead, held = 0.0, 0, 0, 0.0
    for at in range(total):  # ahead, held: how many begin within the window, their words' weight
        start, owner = begins[at], owners[at]
        while ahead < total and begins[ahead] - start <= window:
            number = owners[ahead]
            if not counts[number]:
                weight = weights[number]
                held += weight
            counts[number] += 1
            ahead += 1
        is_better = held > best + rounding
        counts[owner] -= 1
        if not counts[owner]:
            weight = weights[owner]
            held -= weight
        if not is_better or (at + 1 < total and owners[at + 1] == owner and begins[at + 1] - start <= window):
            continue  # what begins at the next one has the same words in less room
        left, found = words, 0.0
        for place in range(at, ahead):
            if not left:
                break
            number = owners[place]
            if seen[number] <= at:
                seen[number] = at + 1
                left -= 1
                weight = weights[number]
                found += weight
                value = found * 2 * window / (2 * window + ends[place] - start)
                if value > best:
                    best, first = value, start
    return best, first


def _numbers(count: int) -> array[int]:
    """So many numbers, all 0."""
    return array("q", bytes(8 * count))
