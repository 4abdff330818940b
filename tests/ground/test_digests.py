"""Golden vectors: a hash that drifts would void every review that was ever recorded."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snob.ground.digests import (
    EMPTY_BUCKET,
    GITLINK,
    REGULAR,
    SYMLINK,
    bucket_digest,
    bucket_of,
    content_hash,
    digest_bytes,
    hasher,
    is_digest,
    pair_frame,
    set_digest,
    written,
)

TWO = pair_frame("lib/two.py", content_hash(b"2\r\n"))
E = pair_frame("lib/é.py", content_hash(b"e\n"))


def context(files: dict[str, bytes]) -> str:
    """The context digest over these files, as `docs/identity.md` says."""
    buckets: list[list[bytes]] = [[] for _ in range(256)]
    for path, data in sorted(files.items(), key=lambda item: item[0].encode()):
        buckets[bucket_of(path)].append(pair_frame(path, content_hash(data)))
    return set_digest([bucket_digest(frames) for frames in buckets])


@pytest.mark.req("F21", "F8", "T35", "T37")
@pytest.mark.parametrize(
    ("data", "prefix", "expected"),
    [
        (b"", REGULAR, "blake3:af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262"),
        (b"a\n", REGULAR, "blake3:81c4b7f7e0549f1514e9cae97cf40cf133920418d3dc71bedbf60ec9bd6148cb"),
        (b"a\r\n", REGULAR, "blake3:26a41f497f9208b92112f0ea9c7edce259f81ac614c1de05d47cd10778482e14"),
        (b"../a", SYMLINK, "blake3-symlink:7495ce36ec5fda5f81f6be0e34ad82d75895dc03eebe94ffd7579ca6c8db8a81"),
        (b"1" * 40, GITLINK, "blake3-gitlink:28cca3258330ba297981d38915d005a15aab5d070d8c2ac1fd4a740998ba850b"),
    ],
)
def test_content_hashes_are_pinned(data: bytes, prefix: str, expected: str) -> None:
    assert expected == content_hash(data, prefix)
    assert expected == written(digest_bytes(data), prefix)


@pytest.mark.req("F22", "T51")
def test_pair_frames_are_pinned() -> None:
    assert (
        "0a000000000000006c69622f74776f2e70794700000000000000"
        + b"blake3:38ac011cf5bde15d89411c1104532a619940f6c5e783183cf1a2047c7ae5357c".hex()
    ) == TWO.hex()  # fmt: skip
    assert (
        "09000000000000006c69622fc3a92e70794700000000000000"
        + b"blake3:1d92776e41370f3e5d6f1dd16279788b8b7910509a95f4e49c3426913ce3540e".hex()
    ) == E.hex()  # fmt: skip


@pytest.mark.req("F22")
@pytest.mark.parametrize(
    ("frames", "expected"),
    [
        ([], "2000000000000000af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262"),
        ([TWO], "200000000000000045468c6761eb9c584cfa94e6bb32049df3959a0a23a9d6ae968e28115b9d8f9f"),
        ([TWO, E], "20000000000000000f660f415e8f4ce55125d037b4aa97727facdd2c5dc731db618c6360f76902d5"),
    ],
)
def test_bucket_digests_are_pinned(frames: list[bytes], expected: str) -> None:
    assert expected == bucket_digest(frames).hex()


@pytest.mark.req("F22")
def test_buckets_are_pinned() -> None:
    assert [78, 185, 175, 175, 175] == [bucket_of(path) for path in ("lib/two.py", "lib/é.py", "", "f21", "f27")]
    assert EMPTY_BUCKET == bucket_digest([])


@pytest.mark.req("F22")
@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({}, "blake3:b12d0890ea660b2160312676ebb73d27c4c6a04bdfa54f62e3eac8bdb98cb356"),
        ({"lib/two.py": b"2\r\n"}, "blake3:eec3b17c9cd27f484a44a038056c4fd3894837cd793383bd72b8207e84c01f88"),
        ({"lib/é.py": b"e\n"}, "blake3:d0ace13e4d0177b8655efc7d6261df1d18cb51342bc9721c1a24aeb9a950e724"),
        (
            {"lib/two.py": b"2\r\n", "lib/é.py": b"e\n"},
            "blake3:032b6b7141bf8730a3ac37997f01476ee335200f679148186f91a6e0395a2d50",
        ),
        ({"f21": b"1", "f27": b"2"}, "blake3:1c9a25b19bb646ee8b666fb4c68bc4cd17190abc7c1b7d16c4a157f221257a9d"),
    ],
)
def test_context_digests_of_small_sets_are_pinned(files: dict[str, bytes], expected: str) -> None:
    # `f21` and `f27` fall into one bucket.
    assert expected == context(files)


@pytest.mark.req("F22", "T51")
@given(
    st.dictionaries(st.sampled_from(["a", "b", "f21", "f27"]), st.sampled_from([b"", b"1"])),
    st.dictionaries(st.sampled_from(["a", "b", "f21", "f27"]), st.sampled_from([b"", b"1"])),
)
def test_two_sets_have_one_digest_only_where_they_are_equal(one: dict[str, bytes], other: dict[str, bytes]) -> None:
    assert (one == other) == (context(one) == context(other))


@pytest.mark.req("T51")
def test_a_name_that_holds_a_digest_is_no_second_pair() -> None:
    inner = content_hash(b"1")
    assert pair_frame("x", inner) + pair_frame("y", inner) != pair_frame(f"x\n{inner}\ny", inner)
    assert context({"x": b"1", "y": b"1"}) != context({f"x{inner}y": b"1"})


@given(st.binary(), st.integers(0, 20))
def test_a_running_hash_is_that_of_the_whole(data: bytes, cut: int) -> None:
    state = hasher(data[:cut])
    state.update(data[cut:])
    assert digest_bytes(data) == state.digest()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (content_hash(b""), True),
        (content_hash(b"", SYMLINK), True),
        (content_hash(b"", GITLINK), True),
        ("blake3:" + "0" * 63, False),
        ("blake3:" + "0" * 65, False),
        ("blake3:" + "0" * 64 + "\n", False),
        ("blake3:" + "A" * 64, False),
        ("blake3:" + "\u0660" * 64, False),
        (" blake3:" + "0" * 64, False),
        ("blake3-tree:" + "0" * 64, False),
        ("sha256:" + "0" * 64, False),
        ("0" * 64, False),
        (None, False),
        (b"blake3:" + b"0" * 64, False),
    ],
)
def test_digests_are_told_from_whatever_else_may_stand_there(text: object, expected: bool) -> None:
    assert expected == is_digest(text)
