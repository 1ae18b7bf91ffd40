"""The cache of answers with ETags never outgrows its bounds."""

from skillgate.adapters.github.etags import EtagCache


def test_the_least_recently_used_goes_first() -> None:
    cache: EtagCache[str] = EtagCache(entries=2)
    cache.put("a", "1", "A", 1)
    cache.put("b", "2", "B", 1)
    assert cache.get("a") is not None
    cache.put("c", "3", "C", 1)
    assert cache.get("b") is None
    assert [kept.answer for key in "ac" if (kept := cache.get(key))] == ["A", "C"]


def test_bytes_are_bounded_and_a_replaced_answer_is_not_counted_twice() -> None:
    cache: EtagCache[str] = EtagCache(total_bytes=10)
    for _ in range(5):
        cache.put("a", "1", "A", 6)
    cache.put("b", "2", "B", 4)
    assert cache.get("a") and cache.get("b")
    cache.put("c", "3", "C", 5)
    assert cache.get("a") is None and cache.get("b") and cache.get("c")


def test_what_is_too_large_is_not_kept() -> None:
    cache: EtagCache[str] = EtagCache(entry_bytes=5)
    cache.put("a", "1", "A", 6)
    assert cache.get("a") is None
